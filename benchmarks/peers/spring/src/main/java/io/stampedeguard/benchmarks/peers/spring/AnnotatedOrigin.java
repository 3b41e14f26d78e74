package io.stampedeguard.benchmarks.peers.spring;

import io.stampedeguard.benchmarks.peer.Peer.Load;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.annotation.CacheConfig;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.Cacheable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The service of an application: each kind of cached method calls the origin. Its first argument is the key, the second the origin of
 * the round, which is no part of the key. <em>Thread-safe.</em>
 */
@CacheConfig(cacheNames = AnnotatedOrigin.CACHE, keyGenerator = AnnotatedOrigin.KEYS)
class AnnotatedOrigin implements AutoCloseable {
    static final String CACHE = "values";

    /** The name of the bean that makes keys of arguments. */
    static final String KEYS = "firstArgument";

    private static final String NO_VALUE_TO_KEEP = "#result == 'of no value'";

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @Cacheable
    public @Nullable String plain(String key, Load load) throws Exception {
        return load.load(key);
    }

    @Cacheable(sync = true)
    public @Nullable String sync(String key, Load load) throws Exception {
        return load.load(key);
    }

    @Cacheable(unless = NO_VALUE_TO_KEEP)
    public @Nullable String unless(String key, Load load) throws Exception {
        return load.load(key);
    }

    @Cacheable
    public CompletableFuture<@Nullable String> future(String key, Load load) {
        return CompletableFuture.supplyAsync(() -> load.loadUnchecked(key), threads);
    }

    @Cacheable
    public Mono<String> mono(String key, Load load) {
        return Mono.fromCallable(() -> load.load(key)).subscribeOn(Schedulers.boundedElastic());
    }

    @CacheEvict
    public void changed(String key) {}

    @CacheEvict(allEntries = true)
    public void allChanged() {}

    @Override
    public void close() {
        threads.shutdown();
    }
}
