package io.stampedeguard.examples.micronaut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micronaut.cache.CacheManager;
import io.micronaut.cache.SyncCache;
import io.micronaut.core.type.Argument;
import io.stampedeguard.GuardedCaches;
import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.Jackson2Codec;
import io.stampedeguard.examples.micronaut.guarded.GuardedSyncCache;
import io.stampedeguard.testbed.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What methods with Micronaut's annotations return and throw, and calls of the cache by hand. */
final class CachedMethodsTest {
    private static final Duration HANGS = Duration.ofMinutes(1);

    private static RedisServer redis;
    private static Application application;
    private static CachedMethods methods;
    private static SyncCache<?> cache;

    @BeforeAll
    static void start() {
        redis = RedisServer.startProcess();
        application = Application.start(redis.uri());
        methods = application.bean(CachedMethods.class);
        cache = application.bean(CacheManager.class).getCache("products");
    }

    @AfterAll
    static void stop() {
        application.close();
        redis.close();
    }

    @Test
    void valueIsCached() {
        assertThat(methods.value(1)).isEqualTo(methods.value(1));
    }

    @Test
    void nullIsCached() {
        int before = methods.calls();
        assertThat(methods.none(2)).isNull();
        assertThat(methods.none(2)).isNull();
        assertThat(methods.calls() - before).isEqualTo(1);
    }

    @Test
    void optionalIsOneHoweverItIsAnswered() {
        Product loaded = methods.optional(3).orElseThrow();
        assertThat(methods.optional(3)).as("a hit").contains(loaded);
        expire(3);
        assertThat(methods.optional(3))
                .as("stale, and reloaded in the background")
                .contains(loaded);
        await().atMost(HANGS).until(() -> !methods.optional(3).orElseThrow().equals(loaded));
    }

    @SuppressWarnings("unchecked")
    private static void expire(long id) {
        ((StampedeGuardedCache<Long, Product>) application.cache()).expire(id);
    }

    @Test
    void exceptionsAreThoseOfTheMethod() {
        assertThatThrownBy(() -> methods.failing(4))
                .isInstanceOf(IOException.class)
                .hasMessage("no product 4");
        assertThatThrownBy(() -> methods.refusing(5))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no product 5");
    }

    @Test
    void parametersNameTheKey() {
        Product product = methods.named("a reason", 6);
        assertThat(methods.named("another one", 6)).isEqualTo(product);
        assertThat(methods.value(6)).isEqualTo(product);
    }

    @Test
    void severalParametersAreNoKey() {
        assertThatThrownBy(() -> methods.keyOfTwo(7, "en"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cache 'products' has keys of java.lang.Long, not of"
                        + " io.micronaut.cache.interceptor.ParametersKey; name the parameter that is the key by"
                        + " 'parameters' of the annotation");
    }

    @Test
    void otherTypesAreRefused() {
        int before = methods.calls();
        assertThatThrownBy(() -> methods.list(8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cache 'products' has values of " + Product.class.getName() + ", not of java.util.List");
        assertThat(methods.calls()).as("not called").isEqualTo(before);
        assertThatThrownBy(() -> cache.put(8L, "text"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cache 'products' has values of " + Product.class.getName() + ", not of java.lang.String");
    }

    @Test
    void primitiveValuesAreCached() {
        SyncCache<?> prices = new GuardedSyncCache<>(
                application
                        .bean(GuardedCaches.class)
                        .cache("prices", Long.class, Jackson2Codec.of(Long.class))
                        .build(),
                Long.class,
                Long.class,
                ForkJoinPool.commonPool());
        assertThat(prices.get(1L, Argument.LONG, () -> 100L)).isEqualTo(100L);
        assertThat(prices.get(1L, Argument.LONG, () -> 200L)).isEqualTo(100L);
    }

    @Test
    void futuresAreCached() {
        Product product = methods.future(9).join();
        assertThat(methods.future(9).join()).isEqualTo(product);
    }

    @Test
    void valuesArePutIfAbsent() {
        Product one = new Product(10, "one", 0);
        Product other = new Product(10, "other", 0);
        assertThat(cache.putIfAbsent(10L, one)).isEmpty();
        assertThat(cache.putIfAbsent(10L, other)).contains(one);
        assertThat(cache.get(10L, Product.class)).contains(one);
    }

    @Test
    void noneIsReplacedByThePutOfAValue() {
        assertThat(methods.none(11)).isNull();
        assertThat(cache.putIfAbsent(11L, new Product(11, "one", 0))).isEmpty();
        assertThat(methods.none(11)).isEqualTo(new Product(11, "one", 0));
    }
}
