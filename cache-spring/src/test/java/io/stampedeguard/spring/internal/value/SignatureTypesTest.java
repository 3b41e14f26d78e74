package io.stampedeguard.spring.internal.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import kotlin.coroutines.Continuation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Types of values come from the signatures of methods. */
@SuppressWarnings({"rawtypes", "NullAway"})
final class SignatureTypesTest {
    record Product(long id) {}

    interface Repository<T, I> {
        T findById(I id);

        Optional<T> findOptional(I id);

        List<T> findAll();

        Map<I, T> byId();

        T[] array();

        Flux<T> flux();

        List<? extends T> extending();
    }

    /** Two steps, with the variables in another order. */
    interface LongRepository<X> extends Repository<List<X>, Long> {}

    interface ProductRepository extends Repository<Product, Long> {}

    interface ProductLists extends LongRepository<Product> {}

    /** As in Spring Data: the class of the bean does not know what the interface of its proxy does. */
    static class SimpleRepository<T, I> implements Repository<T, I> {
        @Override
        public T findById(I id) {
            return null;
        }

        @Override
        public Optional<T> findOptional(I id) {
            return Optional.empty();
        }

        @Override
        public List<T> findAll() {
            return List.of();
        }

        @Override
        public Map<I, T> byId() {
            return Map.of();
        }

        @Override
        public T[] array() {
            return null;
        }

        @Override
        public Flux<T> flux() {
            return Flux.empty();
        }

        @Override
        public List<? extends T> extending() {
            return List.of();
        }
    }

    static class Products extends SimpleRepository<Product, Long> {}

    static class Methods {
        Product plain() {
            return null;
        }

        int primitive() {
            return 1;
        }

        void nothing() {}

        Optional<Product> optional() {
            return Optional.empty();
        }

        List<Product> list() {
            return List.of();
        }

        Collection<? super Product> wild() {
            return List.of();
        }

        List<?> unknown() {
            return List.of();
        }

        List raw() {
            return List.of();
        }

        Map<String, List<Product[]>> nested() {
            return Map.of();
        }

        List<Product>[] arrayOfLists() {
            return null;
        }

        CompletableFuture<List<Product>> future() {
            return null;
        }

        CompletableFuture<Optional<Product>> futureOfOptional() {
            return null;
        }

        Mono<Product> mono() {
            return Mono.empty();
        }

        Flux<Product> flux() {
            return Flux.empty();
        }

        @Nullable
        Object suspending(long id, Continuation<? super List<Product>> continuation) {
            return null;
        }

        <T extends Comparable<T>> List<T> recursive() {
            return List.of();
        }

        <T> T variable() {
            return null;
        }
    }

    private static Method method(Class<?> type, String name) {
        return Stream.of(type.getDeclaredMethods())
                .filter(each -> each.getName().equals(name) && !each.isBridge())
                .findFirst()
                .orElseThrow();
    }

    private static String shown(Method method, Class<?> target, Class<?>... interfaces) {
        return SignatureTypes.shown(ValueTypes.valueTypeOf(method, target, interfaces));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    plain            | Product
                    primitive        | Integer
                    nothing          | Void
                    optional         | Product
                    list             | List<Product>
                    wild             | Collection<Product>
                    unknown          | List<Object>
                    raw              | List
                    nested           | Map<String,List<Product[]>>
                    arrayOfLists     | List<Product>[]
                    future           | List<Product>
                    futureOfOptional | Product
                    mono             | Product
                    flux             | List<Product>
                    suspending       | List<Product>
                    recursive        | List<Comparable<Comparable>>
                    variable         | Object
                    """)
    void valuesHaveTheTypeOfTheSignature(String method, String type) {
        assertThat(shown(method(Methods.class, method), Methods.class)).isEqualTo(type);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    findById     | Product
                    findOptional | Product
                    findAll      | List<Product>
                    byId         | Map<Long,Product>
                    array        | Product[]
                    flux         | List<Product>
                    extending    | List<Product>
                    """)
    void genericRepositoryHasTheTypesOfItsSubtype(String method, String type) {
        assertThat(shown(method(Repository.class, method), ProductRepository.class))
                .isEqualTo(type);
        assertThat(shown(method(SimpleRepository.class, method), Products.class))
                .isEqualTo(type);
        assertThat(shown(method(Repository.class, method), SimpleRepository.class, ProductRepository.class))
                .isEqualTo(type);
    }

    @Test
    void variablesAreResolvedOverSeveralInterfaces() {
        assertThat(shown(method(Repository.class, "findById"), SimpleRepository.class, ProductLists.class))
                .isEqualTo("List<Product>");
        assertThat(shown(method(Repository.class, "byId"), ProductLists.class)).isEqualTo("Map<Long,List<Product>>");
        assertThat(shown(method(Repository.class, "findAll"), SimpleRepository.class))
                .isEqualTo("List<Object>");
    }

    @Test
    void equalTypesOfDifferentSignaturesAreEqual() {
        Type ofClass = ValueTypes.valueTypeOf(method(Methods.class, "list"), Methods.class);
        Type ofFlux = ValueTypes.valueTypeOf(method(Methods.class, "flux"), Methods.class);
        Type ofInterface = ValueTypes.valueTypeOf(method(Repository.class, "findAll"), ProductRepository.class);

        assertThat(ofClass).isEqualTo(ofFlux).isEqualTo(ofInterface).hasSameHashCodeAs(ofInterface);
        assertThat(SignatureTypes.name(ofClass)).isEqualTo("java.util.List<" + Product.class.getName() + ">");
    }
}
