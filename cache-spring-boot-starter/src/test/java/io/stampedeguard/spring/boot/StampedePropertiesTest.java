package io.stampedeguard.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.filter.FilterState;
import io.stampedeguard.filter.KeyFilter;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.StoreFailureMode;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.spring.boot.Contexts.Products;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.context.ApplicationContext;
import redis.clients.jedis.RedisClient;

/** What each property does. */
final class StampedePropertiesTest {
    private final ApplicationContextRunner contexts = Contexts.inMemory();

    private static CachePolicy policy(ApplicationContext context, String cache) {
        Contexts.manager(context).getCache(cache);
        return Contexts.manager(context).coreCaches().get(cache).policy();
    }

    @Test
    void coreHasTheDefaults() {
        contexts.run(context -> {
            CachePolicy policy = policy(context, "products");
            assertThat(policy.softTtl()).isEqualTo(CachePolicy.defaults().softTtl());
            assertThat(policy.hardTtl()).isEqualTo(CachePolicy.defaults().hardTtl());
            assertThat(policy.waitTimeout()).isEqualTo(CachePolicy.defaults().waitTimeout());
        });
    }

    @Test
    void nameWithOtherCharactersIsBoundInBrackets() {
        contexts.withPropertyValues(
                        "stampede.caches[user/info].soft-ttl=10s", "stampede.caches[com.acme.Product].soft-ttl=20s")
                .run(context -> {
                    assertThat(policy(context, "user/info").softTtl()).isEqualTo(Duration.ofSeconds(10));
                    assertThat(policy(context, "com.acme.Product").softTtl()).isEqualTo(Duration.ofSeconds(20));
                });
    }

    @Test
    void defaultsApplyToAllCachesAndSettingsOfOneOverThem() {
        contexts.withPropertyValues(
                        "stampede.defaults.soft-ttl=1m",
                        "stampede.defaults.negative-ttl=0",
                        "stampede.defaults.jitter=0.2",
                        "stampede.defaults.load-timeout=3s",
                        "stampede.defaults.wait-timeout=4s",
                        "stampede.defaults.lease-ttl=5s",
                        "stampede.defaults.max-concurrent-loads=6",
                        "stampede.defaults.origin-budget=7",
                        "stampede.defaults.failure-cool-down=8s",
                        "stampede.defaults.on-store-failure=throw",
                        "stampede.defaults.max-staleness-when-disconnected=9s",
                        "stampede.defaults.change-memory=10s",
                        "stampede.caches.products.soft-ttl=10s",
                        "stampede.caches.products.hard-ttl=30s")
                .run(context -> {
                    CachePolicy orders = policy(context, "orders");
                    assertThat(orders.softTtl()).isEqualTo(Duration.ofMinutes(1));
                    assertThat(orders.hardTtl()).isEqualTo(Duration.ofMinutes(2));
                    assertThat(orders.negativeTtl()).isZero();
                    assertThat(orders.jitter()).isEqualTo(0.2);
                    assertThat(orders.loadTimeout()).isEqualTo(Duration.ofSeconds(3));
                    assertThat(orders.waitTimeout()).isEqualTo(Duration.ofSeconds(4));
                    assertThat(orders.leaseTtl()).isEqualTo(Duration.ofSeconds(5));
                    assertThat(orders.maxConcurrentLoads()).isEqualTo(6);
                    assertThat(orders.originBudget()).isEqualTo(7);
                    assertThat(orders.failureCoolDown()).isEqualTo(Duration.ofSeconds(8));
                    assertThat(orders.onStoreFailure()).isEqualTo(StoreFailureMode.THROW);
                    assertThat(orders.maxStalenessWhenDisconnected()).isEqualTo(Duration.ofSeconds(9));
                    assertThat(orders.changeMemory()).isEqualTo(Duration.ofSeconds(10));
                    CachePolicy products = policy(context, "products");
                    assertThat(products.softTtl()).isEqualTo(Duration.ofSeconds(10));
                    assertThat(products.hardTtl()).isEqualTo(Duration.ofSeconds(30));
                    assertThat(products.waitTimeout()).isEqualTo(Duration.ofSeconds(4));
                });
    }

    @Test
    void exceptionsOfTheDefaultsCoolDownAndOthersDoNot() {
        contexts.withPropertyValues("stampede.caches.orders.cool-down-exceptions=java.lang.ArithmeticException")
                .run(context -> {
                    assertThat(policy(context, "products").coolDownOn().test(new IOException()))
                            .isTrue();
                    assertThat(policy(context, "products").coolDownOn().test(new ArithmeticException()))
                            .isFalse();
                    assertThat(policy(context, "orders").coolDownOn().test(new ArithmeticException()))
                            .isTrue();
                });
    }

    @Test
    void nearCacheAnswersWithoutTheStore() {
        contexts.withBean(Products.class)
                .withPropertyValues("stampede.caches.products.near.maximum-size=10")
                .run(context -> {
                    context.getBean(Products.class).find(1);
                    context.getBean(Products.class).find(1);
                    assertThat(context.getBean(OpenCaches.class).of("products").nearSize())
                            .isEqualTo(1);
                });
    }

    @Test
    void longValuesAreCompressed() {
        Contexts.onRedis()
                .withPropertyValues(
                        "stampede.redis.url=" + SharedRedis.uri(),
                        "stampede.key-prefix=compressed:",
                        "stampede.caches.products.compress-above=1KB")
                .run(context -> {
                    String value = "lamp ".repeat(1_000);
                    for (String cache : List.of("products", "orders")) {
                        Contexts.manager(context).getCache(cache).get("key", () -> value);
                        assertThat(Contexts.manager(context).getCache(cache).get("key", String.class))
                                .isEqualTo(value);
                    }
                    try (RedisClient redis = SharedRedis.client()) {
                        assertThat(redis.strlen("compressed:{products:key}")).isLessThan(500);
                        assertThat(redis.strlen("compressed:{orders:key}")).isGreaterThan(5_000);
                    }
                });
    }

    @Test
    void negativeLengthToCompressIsRefused() {
        contexts.withPropertyValues("stampede.defaults.compress-above=-4GB")
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("is negative"));
    }

    @Test
    void keyFilterIsABean() {
        contexts.withBean(Products.class)
                .withBean("existing", KeyFilter.class, OddKeys::new)
                .withPropertyValues("stampede.caches.products.key-filter=existing")
                .run(context -> {
                    Products products = context.getBean(Products.class);
                    assertThat(products.find(1)).isNotNull();
                    assertThat(products.find(2)).isNull();
                    assertThat(products.calls()).isEqualTo(1);
                });
    }

    @Test
    void keysOfDifferentTypesCanBeDifferentKeys() {
        contexts.withPropertyValues("stampede.defaults.typed-keys=true").run(context -> {
            Cache cache = Contexts.manager(context).getCache("products");
            cache.put(1L, "long");
            assertThat(cache.get("1")).isNull();
        });
    }

    @Test
    void keyPrefixIsTheNameOfTheApplication() {
        assertPrefix("shop:", "spring.application.name=shop");
        assertPrefix("mine:", "spring.application.name=shop", "stampede.key-prefix=mine:");
    }

    private static void assertPrefix(String prefix, String... properties) {
        Contexts.onRedis()
                .withPropertyValues("stampede.redis.url=" + SharedRedis.uri())
                .withPropertyValues(properties)
                .run(context -> {
                    Contexts.manager(context).getCache("prefixed").put("key", "value");
                    try (RedisClient redis = SharedRedis.client()) {
                        assertThat(redis.exists(prefix + "{prefixed:key}")).isTrue();
                    }
                });
    }

    /** Only keys that end in an odd digit exist. */
    private static final class OddKeys implements KeyFilter<String> {
        @Override
        public boolean mightContain(String key) {
            return (key.charAt(key.length() - 1) - '0') % 2 == 1;
        }

        @Override
        public void add(String key) {}

        @Override
        public FilterState state() {
            return new FilterState(true, false, 10, 0.01, 0.5, 5, 0.01);
        }
    }
}
