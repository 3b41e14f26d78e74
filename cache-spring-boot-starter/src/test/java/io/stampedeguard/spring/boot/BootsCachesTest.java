package io.stampedeguard.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.stampedeguard.spring.StampedeCacheManager;
import io.stampedeguard.store.InMemoryStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.cache.autoconfigure.CacheManagerCustomizer;
import org.springframework.boot.cache.autoconfigure.RedisCacheManagerBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** This starter beside those of Boot for caches and for Redis, with Lettuce: whose caches there are, and what the log contains. */
@ExtendWith(OutputCaptureExtension.class)
final class BootsCachesTest {
    private final ApplicationContextRunner contexts = Contexts.inMemory()
            .withUserConfiguration(Enabling.class)
            .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class));

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    static class Enabling {}

    @Test
    void guardedCachesComeBeforeBootsOnRedis(CapturedOutput log) {
        contexts.run(context -> {
            assertThat(context)
                    .hasSingleBean(LettuceConnectionFactory.class)
                    .getBean(CacheManager.class)
                    .isInstanceOf(StampedeCacheManager.class);
            assertThat(log)
                    .contains("Cache annotations use guarded caches; with spring.cache.type, they use Boot's")
                    .doesNotContain("have no effect");
        });
    }

    @Test
    void typeOfBootComesBeforeGuardedCaches(CapturedOutput log) {
        contexts.withPropertyValues("spring.cache.type=redis").run(context -> {
            assertThat(context)
                    .doesNotHaveBean(StampedeCacheManager.class)
                    .getBean(CacheManager.class)
                    .isInstanceOf(RedisCacheManager.class);
            assertThat(log).contains("No guarded caches are configured, because spring.cache.type is redis");
        });
    }

    @Test
    void managerOfTheApplicationComesBeforeGuardedCaches(CapturedOutput log) {
        contexts.withUserConfiguration(OwnRedisManager.class).run(context -> {
            assertThat(context)
                    .doesNotHaveBean(StampedeCacheManager.class)
                    .getBean(CacheManager.class)
                    .isInstanceOf(RedisCacheManager.class);
            assertThat(log)
                    .contains(
                            "No guarded caches are configured, because there is a CacheManager already: the bean ofShop");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnRedisManager {
        @Bean
        RedisCacheManager ofShop(RedisConnectionFactory connections) {
            return RedisCacheManager.create(connections);
        }
    }

    @Test
    void beansThatConfigureOnlyBootsCachesAreNamed(CapturedOutput log) {
        contexts.withUserConfiguration(OfBootsCaches.class).run(context -> {
            assertThat(context).getBean(CacheManager.class).isInstanceOf(StampedeCacheManager.class);
            assertThat(log)
                    .contains("The beans [entriesInShop, entries, ttl] have no effect: they configure caches of Boot.")
                    .doesNotContain("spring.cache.type=redis");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class OfBootsCaches {
        @Bean
        RedisCacheConfiguration ttl() {
            return RedisCacheConfiguration.defaultCacheConfig();
        }

        @Bean
        RedisCacheManagerBuilderCustomizer entries() {
            return builder -> {};
        }

        @Bean
        CacheManagerCustomizer<ConcurrentMapCacheManager> entriesInShop() {
            return manager -> {};
        }
    }

    @Test
    void guardedManagerOfTheApplicationNeedsNothingOfTheStarter(CapturedOutput log) {
        contexts.withBean(
                        "own",
                        StampedeCacheManager.class,
                        () -> StampedeCacheManager.builder(InMemoryStore.create())
                                .build())
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withPropertyValues("management.endpoints.web.exposure.include=*")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(log).contains("there is a CacheManager already: the bean own");
                });
    }
}
