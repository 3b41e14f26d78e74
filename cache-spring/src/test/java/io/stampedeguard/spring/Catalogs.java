package io.stampedeguard.spring;

import io.stampedeguard.spring.Kind.Catalog;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.annotation.CacheConfig;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** One catalog for each attribute of {@code @Cacheable}. */
final class Catalogs {
    private Catalogs() {}

    @Cacheable("plain")
    static class Plain extends Origin implements Catalog {
        @Override
        public @Nullable String plain(long id) throws Exception {
            return super.plain(id);
        }

        @Override
        public Optional<String> optional(long id) throws Exception {
            return super.optional(id);
        }

        @Override
        public CompletableFuture<@Nullable String> future(long id) {
            return super.future(id);
        }

        @Override
        public Mono<String> mono(long id) {
            return super.mono(id);
        }

        @Override
        public Flux<String> flux(long id) {
            return super.flux(id);
        }
    }

    @Cacheable(cacheNames = "synchronized", sync = true)
    static class Synchronized extends Origin implements Catalog {
        @Override
        public @Nullable String plain(long id) throws Exception {
            return super.plain(id);
        }

        @Override
        public Optional<String> optional(long id) throws Exception {
            return super.optional(id);
        }

        @Override
        public CompletableFuture<@Nullable String> future(long id) {
            return super.future(id);
        }

        @Override
        public Mono<String> mono(long id) {
            return super.mono(id);
        }

        @Override
        public Flux<String> flux(long id) {
            return super.flux(id);
        }
    }

    @Cacheable(cacheNames = "byKey", key = "#id + #root.methodName")
    static class ByKey extends Origin implements Catalog {
        @Override
        public @Nullable String plain(long id) throws Exception {
            return super.plain(id);
        }

        @Override
        public Optional<String> optional(long id) throws Exception {
            return super.optional(id);
        }

        @Override
        public CompletableFuture<@Nullable String> future(long id) {
            return super.future(id);
        }

        @Override
        public Mono<String> mono(long id) {
            return super.mono(id);
        }

        @Override
        public Flux<String> flux(long id) {
            return super.flux(id);
        }
    }

    @Cacheable(cacheNames = "byGenerator", keyGenerator = "namedKeys")
    static class ByGenerator extends Origin implements Catalog {
        @Override
        public @Nullable String plain(long id) throws Exception {
            return super.plain(id);
        }

        @Override
        public Optional<String> optional(long id) throws Exception {
            return super.optional(id);
        }

        @Override
        public CompletableFuture<@Nullable String> future(long id) {
            return super.future(id);
        }

        @Override
        public Mono<String> mono(long id) {
            return super.mono(id);
        }

        @Override
        public Flux<String> flux(long id) {
            return super.flux(id);
        }
    }

    @Cacheable(cacheNames = "conditional", condition = "#id != 100")
    static class Conditional extends Origin implements Catalog {
        @Override
        public @Nullable String plain(long id) throws Exception {
            return super.plain(id);
        }

        @Override
        public Optional<String> optional(long id) throws Exception {
            return super.optional(id);
        }

        @Override
        public CompletableFuture<@Nullable String> future(long id) {
            return super.future(id);
        }

        @Override
        public Mono<String> mono(long id) {
            return super.mono(id);
        }

        @Override
        public Flux<String> flux(long id) {
            return super.flux(id);
        }
    }

    @Cacheable(cacheNames = "unless", unless = "#id == 100 and #result != null")
    static class Unless extends Origin implements Catalog {
        @Override
        public @Nullable String plain(long id) throws Exception {
            return super.plain(id);
        }

        @Override
        public Optional<String> optional(long id) throws Exception {
            return super.optional(id);
        }

        @Override
        public CompletableFuture<@Nullable String> future(long id) {
            return super.future(id);
        }

        @Override
        public Mono<String> mono(long id) {
            return super.mono(id);
        }

        @Override
        public Flux<String> flux(long id) {
            return super.flux(id);
        }
    }

    @Cacheable(cacheNames = "ofManager", cacheManager = "otherManager")
    static class OfManager extends Origin implements Catalog {
        @Override
        public @Nullable String plain(long id) throws Exception {
            return super.plain(id);
        }

        @Override
        public Optional<String> optional(long id) throws Exception {
            return super.optional(id);
        }

        @Override
        public CompletableFuture<@Nullable String> future(long id) {
            return super.future(id);
        }

        @Override
        public Mono<String> mono(long id) {
            return super.mono(id);
        }

        @Override
        public Flux<String> flux(long id) {
            return super.flux(id);
        }
    }

    @Cacheable(
            cacheNames = "ofForeignManager",
            cacheManager = "foreignManager",
            unless = "#id == 100 and #result != null")
    static class OfForeignManager extends Origin implements Catalog {
        @Override
        public @Nullable String plain(long id) throws Exception {
            return super.plain(id);
        }

        @Override
        public Optional<String> optional(long id) throws Exception {
            return super.optional(id);
        }

        @Override
        public CompletableFuture<@Nullable String> future(long id) {
            return super.future(id);
        }

        @Override
        public Mono<String> mono(long id) {
            return super.mono(id);
        }

        @Override
        public Flux<String> flux(long id) {
            return super.flux(id);
        }
    }

    @Cacheable(cacheNames = "byResolver", cacheResolver = "prefixing")
    static class ByResolver extends Origin implements Catalog {
        @Override
        public @Nullable String plain(long id) throws Exception {
            return super.plain(id);
        }

        @Override
        public Optional<String> optional(long id) throws Exception {
            return super.optional(id);
        }

        @Override
        public CompletableFuture<@Nullable String> future(long id) {
            return super.future(id);
        }

        @Override
        public Mono<String> mono(long id) {
            return super.mono(id);
        }

        @Override
        public Flux<String> flux(long id) {
            return super.flux(id);
        }
    }

    @Cacheable(cacheNames = {"first", "second"})
    static class OfTwo extends Origin implements Catalog {
        @Override
        public @Nullable String plain(long id) throws Exception {
            return super.plain(id);
        }

        @Override
        public Optional<String> optional(long id) throws Exception {
            return super.optional(id);
        }

        @Override
        public CompletableFuture<@Nullable String> future(long id) {
            return super.future(id);
        }

        @Override
        public Mono<String> mono(long id) {
            return super.mono(id);
        }

        @Override
        public Flux<String> flux(long id) {
            return super.flux(id);
        }
    }

    @Cacheable("withPut")
    @CachePut(cacheNames = "copies", condition = "#id == 100")
    static class WithPut extends Origin implements Catalog {
        @Override
        public @Nullable String plain(long id) throws Exception {
            return super.plain(id);
        }

        @Override
        public Optional<String> optional(long id) throws Exception {
            return super.optional(id);
        }

        @Override
        public CompletableFuture<@Nullable String> future(long id) {
            return super.future(id);
        }

        @Override
        public Mono<String> mono(long id) {
            return super.mono(id);
        }

        @Override
        public Flux<String> flux(long id) {
            return super.flux(id);
        }
    }

    @CacheConfig(cacheNames = "byConfig", keyGenerator = "namedKeys")
    @Cacheable
    static class ByConfig extends Origin implements Catalog {
        @Override
        public @Nullable String plain(long id) throws Exception {
            return super.plain(id);
        }

        @Override
        public Optional<String> optional(long id) throws Exception {
            return super.optional(id);
        }

        @Override
        public CompletableFuture<@Nullable String> future(long id) {
            return super.future(id);
        }

        @Override
        public Mono<String> mono(long id) {
            return super.mono(id);
        }

        @Override
        public Flux<String> flux(long id) {
            return super.flux(id);
        }
    }
}
