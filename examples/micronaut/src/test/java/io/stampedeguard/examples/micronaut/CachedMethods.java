package io.stampedeguard.examples.micronaut;

import io.micronaut.cache.annotation.CacheConfig;
import io.micronaut.cache.annotation.Cacheable;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Methods of all kinds, whose results are cached. */
@Singleton
@CacheConfig("products")
class CachedMethods {
    private final AtomicInteger calls = new AtomicInteger();

    int calls() {
        return calls.get();
    }

    private Product product(long id) {
        return new Product(id, "call " + calls.incrementAndGet(), 0);
    }

    @Cacheable(atomic = true)
    Product value(long id) {
        return product(id);
    }

    @Cacheable(atomic = true)
    @Nullable
    Product none(long id) {
        calls.incrementAndGet();
        return null;
    }

    @Cacheable(atomic = true)
    Optional<Product> optional(long id) {
        return Optional.of(product(id));
    }

    @Cacheable(atomic = true)
    Product failing(long id) throws IOException {
        throw new IOException("no product " + id);
    }

    @Cacheable(atomic = true)
    Product refusing(long id) {
        throw new IllegalStateException("no product " + id);
    }

    @Cacheable(atomic = true, parameters = "id")
    Product named(String why, long id) {
        return product(id);
    }

    @Cacheable(atomic = true)
    Product keyOfTwo(long id, String language) {
        return product(id);
    }

    @Cacheable(atomic = true)
    List<Product> list(long id) {
        return List.of(product(id));
    }

    @Cacheable
    CompletableFuture<Product> future(long id) {
        return CompletableFuture.completedFuture(product(id));
    }
}
