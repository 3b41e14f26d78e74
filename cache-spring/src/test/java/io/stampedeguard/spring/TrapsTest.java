package io.stampedeguard.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.cache.Cache.ValueWrapper;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.cache.interceptor.CacheableOperation;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.SpringVersion;
import org.springframework.util.ReflectionUtils;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** What goes wrong if Spring's caching is extended in the obvious way. */
final class TrapsTest {
    private final AnnotationConfigApplicationContext context = Contexts.of(
            manager -> manager.cache(
                    "impatient", cache -> cache.policy(policy -> policy.waitTimeout(Duration.ofMillis(1)))),
            Early.class,
            Products.class,
            Contexts.Advice.class);
    private final Products products = context.getBean(Products.class);
    private final Contexts.Advice advice = context.getBean(Contexts.Advice.class);
    private final StampedeCacheManager manager = context.getBean(StampedeCacheManager.class);

    @Configuration
    static class Early {
        /** A post-processor, which has the proxy of its bean created before post-processors without priority are there. */
        @Bean
        static EarlyBird earlyBird(Products early) {
            return new EarlyBird(early);
        }
    }

    record EarlyBird(Products products) implements BeanPostProcessor {}

    static class Products extends Slow {
        @Cacheable("products")
        public String find(long id) {
            return "product " + id + ", version " + count();
        }

        @Cacheable(cacheNames = "pairs")
        public String pair(String first, String second) {
            return first + "/" + second;
        }

        @Cacheable("impatient")
        public String slow(String key) {
            countAndWait();
            return key;
        }

        @CacheEvict("products")
        public void remove(long id) {}

        @CacheEvict(cacheNames = "products", allEntries = true)
        public void removeAll() {}

        @CacheEvict(cacheNames = "products", beforeInvocation = true)
        public void removeAndFail(long id) {
            throw new IllegalStateException("fails");
        }

        @CachePut("products")
        public String replace(long id) {
            return "replaced " + id;
        }

        @CacheEvict("products")
        public Mono<String> removeLater(long id) {
            return Mono.just("removed");
        }
    }

    @AfterEach
    void close() {
        products.mayReturn();
        context.close();
    }

    @Test
    void springIsTheOneToBeTested() {
        assertThat(SpringVersion.getVersion()).isEqualTo(System.getProperty("stampede.spring"));
    }

    @Test
    void operationIsOfExactlySpringsClass() {
        CacheOperationSource source = context.getBean(CacheOperationSource.class);
        CacheOperation operation = source.getCacheOperations(
                        ReflectionUtils.findMethod(Products.class, "find", long.class), Products.class)
                .iterator()
                .next();

        assertThat(operation.getClass()).isEqualTo(CacheableOperation.class);
        assertThat(((CacheableOperation) operation).isSync()).isTrue();
    }

    @Test
    void reloadInTheBackgroundRunsTheAdviceInsideTheCache() {
        products.find(7);
        TypedCache<Long, String> typed = manager.typed("products", Long.class, String.class);
        typed.expire(7L);

        assertThat(products.find(7)).isEqualTo("product 7, version 1");
        Fleet.until(() -> "product 7, version 2".equals(typed.getIfPresent(7L)));
        assertThat(advice.seen).containsExactly(7L, 7L);
    }

    @Test
    void pairsOfKeysAreDifferentKeys() {
        assertThat(products.pair("a,b", "c")).isEqualTo("a,b/c");
        assertThat(products.pair("a", "b,c")).isEqualTo("a/b,c");
    }

    @Test
    void evictedValueIsComputedAgain() {
        products.find(1);
        products.remove(1);
        assertThat(products.find(1)).endsWith("version 2");
        products.removeAll();
        assertThat(products.find(1)).endsWith("version 3");
        assertThatThrownBy(() -> products.removeAndFail(1)).hasMessage("fails");
        assertThat(products.find(1)).endsWith("version 4");
    }

    @Test
    void putValueIsFound() {
        products.find(1);
        assertThat(products.replace(1)).isEqualTo("replaced 1");
        assertThat(products.find(1)).isEqualTo("replaced 1");
    }

    @Test
    void changeByAThreadThatMustNotBlockIsMadeByAnother() {
        products.find(1);
        Mono.defer(() -> products.removeLater(1))
                .subscribeOn(Schedulers.parallel())
                .block();

        assertThat(products.find(1)).endsWith("version 2"); // it has waited for the change
    }

    @Test
    void callerThatWaitsTooLongLearnsTheProperty() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        Future<String> leader = thread.submit(() -> products.slow("key"));
        Fleet.until(() -> products.calls() == 1);

        assertThatThrownBy(() -> products.slow("key"))
                .isInstanceOf(WaitTimeoutException.class)
                .hasMessage("Cache 'impatient': another call still computes key; waited 1ms"
                        + " (stampede.caches.impatient.wait-timeout).");
        products.mayReturn();
        assertThat(leader.get()).isEqualTo("key");
        thread.shutdown();
    }

    @Test
    void putAfterALookUpIsRefusedIfTheKeyWasChanged() {
        StampedeCache cache = manager.getCache("products");
        assertThat(cache.get(5L)).isNull();
        manager.typed("products", Long.class, String.class).invalidate(5L); // as by another thread
        cache.put(5L, "old");

        assertThat(cache.get(5L)).isNull();
        cache.evict(5L);
        cache.put(5L, "new");
        assertThat(cache.get(5L)).extracting(ValueWrapper::get).isEqualTo("new");
    }

    @Test
    void changeAfterAnOldLookUpIsNotSwallowed() {
        StampedeCache cache = manager.getCache("products");
        assertThat(cache.get(6L)).isNull(); // of an earlier request on this thread, whose method failed
        manager.typed("products", Long.class, String.class).put(6L, "old"); // as by another thread
        cache.put(6L, "new");

        assertThat(cache.get(6L)).isNull();
    }

    @Test
    void staleValueIsReplacedByAPutAfterItsLookUp() {
        StampedeCache cache = manager.getCache("products");
        cache.put(8L, "old");
        manager.typed("products", Long.class, String.class).expire(8L);

        assertThat(cache.get(8L)).isNull();
        cache.put(8L, "new");
        assertThat(cache.get(8L)).extracting(ValueWrapper::get).isEqualTo("new");
    }

    @Test
    void hardTtlBelowTheSoftOneIsExplained() {
        assertThatThrownBy(() -> StampedeCacheManager.builder(InMemoryStore.create())
                        .cache(
                                "products",
                                cache -> cache.policy(policy ->
                                        policy.softTtl(Duration.ofMinutes(1)).hardTtl(Duration.ofSeconds(30))))
                        .build())
                .hasMessage("stampede.caches.products.hard-ttl (30s) is shorter than soft-ttl (1m)."
                        + " Raise it, or remove it: it is twice soft-ttl by default.");
    }

    @Test
    void otherSettingIsNamedAsItsProperty() {
        assertThatThrownBy(() -> StampedeCacheManager.builder(InMemoryStore.create())
                        .defaults(cache -> cache.policy(policy -> policy.maxConcurrentLoads(0)))
                        .build())
                .hasMessage("stampede.defaults.max-concurrent-loads 0 is less than 1.");
    }
}
