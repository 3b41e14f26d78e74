package io.stampedeguard.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** An entry of another type than that of the method is a miss: one load serves all callers, and replaces it. */
final class OtherTypesTest {
    /** The time of the store, which goes on at once. */
    private static final class StoreTime implements TimeSource {
        private final TimeSource system = TimeSource.system();
        private final AtomicLong aheadMillis = new AtomicLong();

        void advance(Duration length) {
            aheadMillis.addAndGet(length.toMillis());
        }

        @Override
        public long wallMillis() {
            return system.wallMillis() + aheadMillis.get();
        }

        @Override
        public long monotonicNanos() {
            return system.monotonicNanos() + TimeUnit.MILLISECONDS.toNanos(aheadMillis.get());
        }

        @Override
        public boolean await(CountDownLatch latch, long nanos) throws InterruptedException {
            return system.await(latch, nanos);
        }

        @Override
        public Timer schedule(long nanos, Runnable task) {
            return system.schedule(nanos, task);
        }
    }

    record Product(long id) {}

    record ProductDto(long id, String name) {}

    static class Products extends Slow {
        @Cacheable("products")
        public ProductDto find(long id) {
            countAndWait();
            return new ProductDto(id, "found");
        }

        @Cacheable("products")
        public CompletableFuture<ProductDto> findLater(long id) {
            count();
            return CompletableFuture.completedFuture(new ProductDto(id, "found later"));
        }

        @Cacheable("elsewhere")
        public Product inAnotherCache(long id) {
            return new Product(id);
        }

        @Cacheable("lists")
        public List<Product> all() {
            count();
            return List.of(new Product(1), new Product(2));
        }
    }

    private final StoreTime storeTime = new StoreTime();
    private final InMemoryStore store = InMemoryStore.create(storeTime);
    private final AnnotationConfigApplicationContext context = Contexts.over(store, settings -> {}, Products.class);
    private final Products products = context.getBean(Products.class);
    private final StampedeCacheManager manager = context.getBean(StampedeCacheManager.class);

    @AfterEach
    void close() {
        products.mayReturn();
        context.close();
    }

    /** Stores a value as another process does: one of a former release, in whose cache the type is known. */
    private void storeElsewhere(long id) {
        try (StampedeCacheManager former = StampedeCacheManager.builder(store).build()) {
            former.typed("products", Long.class, Product.class).put(id, new Product(id));
        }
    }

    private List<Future<ProductDto>> together(long id) {
        return Contexts.together(manager.getCache("products"), products, () -> products.find(id));
    }

    @Test
    void entryOfAFormerReleaseIsReplacedByOneLoad() throws Exception {
        assertThat(products.inAnotherCache(1)).isEqualTo(new Product(1)); // the type is known in this process
        storeElsewhere(1);

        for (Future<ProductDto> answer : together(1)) {
            assertThat(answer.get()).isEqualTo(new ProductDto(1, "found"));
        }
        assertThat(products.find(1)).isEqualTo(new ProductDto(1, "found"));
        assertThat(products.calls()).isEqualTo(1);
    }

    @Test
    void entryOfAnotherTypeOfTheCacheIsReplaced() {
        TypedCache<Long, Product> typed = manager.typed("products", Long.class, Product.class);
        typed.put(1L, new Product(1));
        products.mayReturn();

        assertThat(products.find(1)).isEqualTo(new ProductDto(1, "found"));
        assertThat(products.find(1)).isEqualTo(new ProductDto(1, "found"));
        assertThat(products.findLater(1).join()).isEqualTo(new ProductDto(1, "found"));
        assertThat(products.calls()).isEqualTo(1);
    }

    @Test
    void callersOfOneTypeShareTheLoadThatReplacesAnother() throws Exception {
        TypedCache<Long, Product> typed = manager.typed("products", Long.class, Product.class);
        typed.put(1L, new Product(1));
        storeTime.advance(Duration.ofSeconds(1));

        for (Future<ProductDto> answer : together(1)) {
            assertThat(answer.get()).isEqualTo(new ProductDto(1, "found"));
        }
        assertThat(products.calls())
                .as("one, and one for those that came during it")
                .isBetween(1, 2);
    }

    @Test
    void futureReplacesAnEntryOfAnotherType() {
        TypedCache<Long, Product> typed = manager.typed("products", Long.class, Product.class);
        typed.put(1L, new Product(1));

        assertThat(products.findLater(1).join()).isEqualTo(new ProductDto(1, "found later"));
        assertThat(products.findLater(1).join()).isEqualTo(new ProductDto(1, "found later"));
        assertThat(products.calls()).isEqualTo(1);
    }

    @Test
    void listThatWasPutBeforeTheMethodWasCalledIsReplaced() {
        manager.getCache("lists").put(SimpleKey.EMPTY, List.of("warm"));

        assertThat(products.all()).containsExactly(new Product(1), new Product(2));
        assertThat(products.all()).containsExactly(new Product(1), new Product(2));
        assertThat(products.calls()).isEqualTo(1);
    }

    @Test
    void invocationProceedsOnceWhenTheOtherEntryIsStale() {
        TypedCache<Long, Product> typed = manager.typed("products", Long.class, Product.class);
        products.mayReturn();
        for (long id = 1; id <= 100; id++) { // a reload by another thread may come before the caller, or after it
            typed.put(id, new Product(id));
            typed.expire(id);

            assertThat(products.find(id)).isEqualTo(new ProductDto(id, "found"));
            typed.put(id, new Product(id));
            typed.expire(id);
            assertThat(products.findLater(id).join().id()).isEqualTo(id);
        }
    }

    @Test
    void manyKeysAreLoadedInPlaceOfEntriesOfAnotherType() {
        products.mayReturn();
        products.find(1);
        TypedCache<Long, Product> typed = manager.typed("products", Long.class, Product.class);

        for (int i = 0; i < 2; i++) {
            assertThat(typed.getAll(List.of(1L, 2L), ids -> {
                        assertThat(ids).hasSize(1);
                        long id = ids.iterator().next();
                        return Map.of(id, new Product(id));
                    }))
                    .isEqualTo(Map.of(1L, new Product(1), 2L, new Product(2)));
        }
        assertThat(typed.getIfPresent(1L)).isEqualTo(new Product(1));
    }
}
