package io.stampedeguard.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.InMemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import reactor.core.publisher.Flux;

/** Types of values, keys, and tags through the annotations, with two processes on one store. */
final class TypesKeysTagsTest {
    record Product(long id, long supplierId) {}

    record Money(long cents, String currency) {}

    static final class Isbn {
        final String digits;

        Isbn(String digits) {
            this.digits = digits;
        }
    }

    /** As an entity of JPA. */
    public static class Customer {
        public long id;
        public String name = "";
    }

    interface Repository<T, I> {
        Optional<T> findById(I id);
    }

    interface ProductRepository extends Repository<Product, Long> {
        @Override
        @Cacheable("repository")
        Optional<Product> findById(Long id);
    }

    /** As in Spring Data: the class behind the interface does not know the type. */
    static class SimpleRepository<T, I> implements Repository<T, I> {
        private final AtomicInteger calls = new AtomicInteger();

        @Override
        @SuppressWarnings("unchecked")
        public Optional<T> findById(I id) {
            if (calls.incrementAndGet() > 1) {
                throw new IllegalStateException("called twice");
            }
            return Optional.of((T) new Product((Long) id, 7));
        }
    }

    static class Catalog {
        private final List<Object> calls = new ArrayList<>();

        List<Object> calls() {
            return calls;
        }

        @Cacheable("lists")
        public List<Product> all(List<Long> ids) {
            calls.add(ids);
            return ids.stream().map(id -> new Product(id, 7)).toList();
        }

        @Cacheable("lists")
        public Flux<Product> stream(List<Long> ids) {
            calls.add(ids);
            return Flux.fromIterable(ids).map(id -> new Product(id, 7));
        }

        @Cacheable("maps")
        public CompletableFuture<Map<String, Product>> map(String name, int size) {
            calls.add(name);
            return CompletableFuture.completedFuture(Map.of(name, new Product(size, 7)));
        }

        @Cacheable("customers")
        public Customer customer(long id) {
            calls.add(id);
            Customer customer = new Customer();
            customer.id = id;
            return customer;
        }

        @Cacheable("prices")
        public Integer price(Money money) {
            calls.add(money);
            return 1;
        }

        @Cacheable("books")
        public String book(Isbn isbn) {
            calls.add(isbn);
            return "book " + isbn.digits;
        }

        @Cacheable("user:info")
        public String pair(String first, String second) {
            calls.add(first);
            return first + "/" + second;
        }

        @Cacheable("products")
        @CacheTags("'supplier:' + #result.supplierId")
        public @Nullable Product product(long id) {
            calls.add(id);
            return id < 0 ? null : new Product(id, id % 10);
        }

        @CachePut(cacheNames = "products", key = "#product.id")
        @CacheTags({"'supplier:' + #result.supplierId", "#tags"})
        public Product put(Product product, List<String> tags) {
            return product;
        }

        @Cacheable(cacheNames = "suppliers", unless = "#result.isEmpty()")
        @CacheTags("'supplier:' + #result.get(0).supplierId")
        public List<Product> ofSupplier(long id) {
            calls.add(id);
            return id < 0 ? List.of() : List.of(new Product(1, id));
        }

        @CacheEvict(cacheNames = "products", key = "@stampede.tag('supplier:' + #id)")
        public void supplierChanged(long id) {}
    }

    @Configuration
    @EnableCaching
    @Import({StampedeCachingConfiguration.class, Catalog.class})
    static class Application {
        @Bean
        StampedeCacheManager manager(CacheStore store) {
            return StampedeCacheManager.builder(store).build();
        }

        @Bean
        ProductRepository repository() {
            SimpleRepository<Product, Long> target = new SimpleRepository<>();
            ProxyFactory factory = new ProxyFactory();
            factory.setTarget(target);
            factory.addInterface(ProductRepository.class);
            factory.addAdvice(
                    (MethodInterceptor) call -> call.getMethod().getName().equals("findById")
                            ? target.findById((Long) call.getArguments()[0])
                            : call.proceed());
            return (ProductRepository) factory.getProxy(getClass().getClassLoader());
        }
    }

    private final CacheStore store = InMemoryStore.create();

    @AutoClose
    private final AnnotationConfigApplicationContext one = start();

    @AutoClose
    private final AnnotationConfigApplicationContext other = start();

    private final Catalog catalog = one.getBean(Catalog.class);
    private final Catalog ofOther = other.getBean(Catalog.class);

    private AnnotationConfigApplicationContext start() {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.registerBean(CacheStore.class, () -> store);
        context.register(Application.class);
        context.refresh();
        return context;
    }

    @Test
    void otherProcessReadsGenericTypes() {
        List<Long> ids = List.of(1L, 2L);
        List<Product> products = catalog.all(ids);
        Map<String, Product> map = catalog.map("a", 1).join();

        assertThat(ofOther.all(ids)).isEqualTo(products);
        assertThat(ofOther.stream(ids).collectList().block()).isEqualTo(products);
        assertThat(ofOther.map("a", 1).join()).isEqualTo(map);
        assertThat(ofOther.calls()).isEmpty();
    }

    @Test
    void repositoryInterfaceDeclaresTheType() {
        ProductRepository repository = one.getBean(ProductRepository.class);
        ProductRepository ofOther = other.getBean(ProductRepository.class);

        assertThat(repository.findById(1L)).contains(new Product(1, 7));
        assertThat(repository.findById(1L)).contains(new Product(1, 7));
        assertThat(ofOther.findById(1L)).contains(new Product(1, 7));
        assertThat(ofOther.findById(3L)).as("its first call of the target").isPresent();
        assertThatIllegalStateException().as("the target is called").isThrownBy(() -> repository.findById(2L));
    }

    @Test
    void entityIsNeverShared() {
        Customer first = catalog.customer(1);
        first.name = "changed by its caller";

        assertThat(catalog.customer(1)).isNotSameAs(first).extracting("name").isEqualTo("");
    }

    @Test
    void recordsAndSeveralArgumentsAreKeys() {
        catalog.price(new Money(10, "EUR"));
        ofOther.price(new Money(10, "EUR"));
        ofOther.price(new Money(10, "CHF"));

        assertThat(catalog.pair("a, b", "c")).isEqualTo("a, b/c");
        assertThat(catalog.pair("a", "b, c")).isEqualTo("a/b, c");
        assertThat(ofOther.calls()).containsExactly(new Money(10, "CHF"));
    }

    @Test
    void keyWithoutTextIsNamedWithItsMethod() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> catalog.book(new Isbn("1")))
                .withMessage("Key type Isbn (Catalog.book) has no text. Define a StampedeKeyConverter bean.");
    }

    @Test
    void tagRemovesTheValuesOfMethods() {
        catalog.product(7);
        catalog.product(17);
        catalog.product(8);
        catalog.put(new Product(20, 7), List.of("promotion"));
        catalog.calls().clear();

        ofOther.supplierChanged(7);
        catalog.product(7);
        catalog.product(17);
        catalog.product(8);
        catalog.product(20);

        assertThat(catalog.calls()).containsExactly(7L, 17L, 20L);
    }

    @Test
    void absenceHasNoTag() {
        assertThat(catalog.product(-1)).isNull();
        assertThat(catalog.product(-1)).isNull();
        assertThat(catalog.calls()).containsExactly(-1L);
    }

    @Test
    void whatUnlessRefusesHasNoTag() {
        assertThat(catalog.ofSupplier(-1)).isEmpty();
        assertThat(catalog.ofSupplier(7)).isEqualTo(catalog.ofSupplier(7));
        assertThat(catalog.calls()).containsExactly(-1L, 7L);
    }

    @Test
    void failureOfTagIsThatOfTheCall() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> catalog.put(new Product(1, 7), List.of("x".repeat(65))))
                .withMessageStartingWith("@CacheTags of Catalog.put: tag 'xxx");
    }
}
