package io.stampedeguard.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import reactor.core.publisher.Mono;

/** Methods whose future, or {@code Mono}, is that of an {@code Optional}: of a product, and of 0, which is none. */
final class LaterOptionalTest {
    private final AnnotationConfigApplicationContext context = Contexts.of(Products.class);
    private final Products products = context.getBean(Products.class);

    record Product(long id, String name) {}

    static class Products extends Slow {
        private Optional<Product> found(long id) {
            count();
            return expected(id);
        }

        @Cacheable("guarded")
        public CompletableFuture<Optional<Product>> guarded(long id) {
            return CompletableFuture.completedFuture(found(id));
        }

        @Cacheable("unguarded")
        @CacheEvict("others")
        public CompletableFuture<Optional<Product>> unguarded(long id) {
            return CompletableFuture.completedFuture(found(id));
        }

        @CachePut("unguarded")
        public CompletableFuture<Optional<Product>> replaced(long id) {
            return CompletableFuture.completedFuture(found(id));
        }

        @Cacheable("guardedMono")
        public Mono<Optional<Product>> guardedMono(long id) {
            return Mono.fromCallable(() -> found(id));
        }

        @Cacheable("unguardedMono")
        @CacheEvict("others")
        public Mono<Optional<Product>> unguardedMono(long id) {
            return Mono.fromCallable(() -> found(id));
        }
    }

    private static Optional<Product> expected(long id) {
        return id == 0 ? Optional.empty() : Optional.of(new Product(id, "lamp"));
    }

    @AfterEach
    void close() {
        context.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 7})
    void guardedFutureIsComputedOnce(long id) {
        assertThat(products.guarded(id).join()).isEqualTo(expected(id));
        assertThat(products.guarded(id).join()).isEqualTo(expected(id));
        assertThat(products.calls()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 7})
    void futureBesideAnotherAnnotationIsComputedOnce(long id) {
        assertThat(products.unguarded(id).join()).isEqualTo(expected(id));
        assertThat(products.unguarded(id).join()).isEqualTo(expected(id));
        assertThat(products.calls()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 7})
    void putFutureIsFound(long id) {
        assertThat(products.replaced(id).join()).isEqualTo(expected(id));
        assertThat(products.unguarded(id).join()).isEqualTo(expected(id));
        assertThat(products.calls()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 7})
    void guardedMonoIsComputedOnce(long id) {
        assertThat(products.guardedMono(id).block()).isEqualTo(expected(id));
        assertThat(products.guardedMono(id).block()).isEqualTo(expected(id));
        assertThat(products.calls()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 7})
    void monoBesideAnotherAnnotationIsComputedOnce(long id) {
        assertThat(products.unguardedMono(id).block()).isEqualTo(expected(id));
        assertThat(products.unguardedMono(id).block()).isEqualTo(expected(id));
        assertThat(products.calls()).isEqualTo(1);
    }
}
