package io.stampedeguard.spring.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.spring.StampedeCacheCustomizer;
import io.stampedeguard.spring.StampedeCacheManager;
import io.stampedeguard.spring.boot.Contexts.Products;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.InMemoryStore;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.framework.Advised;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.cache.interceptor.BeanFactoryCacheOperationSourceAdvisor;
import org.springframework.context.annotation.Configuration;

/** When the caches are there, and who decides otherwise. */
@ExtendWith(OutputCaptureExtension.class)
final class StampedeAutoConfigurationTest {
    private final ApplicationContextRunner contexts = Contexts.inMemory();

    @Test
    void testsRunWithTheIntendedVersionOfBoot() {
        assertThat(SpringBootVersion.getVersion()).isEqualTo(System.getProperty("stampede.spring-boot"));
    }

    @Test
    void oneDependencyIsEnough() {
        contexts.withBean(Products.class).run(context -> {
            Products products = context.getBean(Products.class);
            assertThat(products.find(1)).isEqualTo("product 1");
            assertThat(products.find(1)).isEqualTo("product 1");
            assertThat(products.calls()).isEqualTo(1);
            assertThat(Contexts.manager(context).coreCaches()).containsOnlyKeys("products");
        });
    }

    @Test
    void codecThatIsARegisteredSingletonIsUsed() {
        contexts.withBean(Products.class)
                .withInitializer(context -> context.getBeanFactory().registerSingleton("suffixing", new Suffixing()))
                .run(context -> {
                    Products products = context.getBean(Products.class);
                    products.find(1);
                    assertThat(products.find(1)).isEqualTo("product 1, decoded");
                });
    }

    static final class Suffixing implements ValueCodec<String> {
        @Override
        public byte[] encode(String value) {
            return value.getBytes(UTF_8);
        }

        @Override
        public String decode(ByteBuffer payload) {
            return UTF_8.decode(payload) + ", decoded";
        }
    }

    @Test
    void applicationThatEnablesCachingIsProxiedOnce() {
        contexts.withUserConfiguration(Enabling.class).withBean(Products.class).run(context -> {
            Products products = context.getBean(Products.class);
            products.find(1);
            products.find(1);
            assertThat(products.calls()).isEqualTo(1);
            assertThat(cacheAdvisors(products)).hasSize(1);
        });
    }

    @Test
    void applicationThatDoesNotEnableCachingIsProxiedOnce() {
        contexts.withBean(Products.class)
                .run(context -> assertThat(cacheAdvisors(context.getBean(Products.class)))
                        .hasSize(1));
    }

    private static Stream<?> cacheAdvisors(Products products) {
        return Stream.of(((Advised) products).getAdvisors())
                .filter(BeanFactoryCacheOperationSourceAdvisor.class::isInstance);
    }

    @Test
    void anotherCacheManagerIsLeftAlone(CapturedOutput log) {
        contexts.withUserConfiguration(Enabling.class)
                .withBean("simple", CacheManager.class, ConcurrentMapCacheManager::new)
                .run(context -> {
                    assertThat(context).hasSingleBean(CacheManager.class);
                    assertThat(context).doesNotHaveBean(CacheStore.class);
                    assertThat(log).contains("there is a CacheManager already: the bean simple");
                });
    }

    @Test
    void cacheTypeOfBootIsLeftAlone(CapturedOutput log) {
        contexts.withUserConfiguration(Enabling.class)
                .withPropertyValues("spring.cache.type=none")
                .run(context -> {
                    assertThat(context).doesNotHaveBean(StampedeCacheManager.class);
                    assertThat(context).hasSingleBean(CacheManager.class);
                    assertThat(log).contains("spring.cache.type is none");
                });
    }

    @Test
    void switchedOffWithoutCachingAnnotationsDoNothing(CapturedOutput log) {
        contexts.withBean(Products.class)
                .withPropertyValues("stampede.enabled=false")
                .run(context -> {
                    Products products = context.getBean(Products.class);
                    products.find(1);
                    products.find(1);
                    assertThat(products.calls()).isEqualTo(2);
                    assertThat(context).doesNotHaveBean(CacheManager.class);
                    assertThat(log).contains("stampede.enabled is false");
                });
    }

    @Test
    void propertiesOfRedisCacheManagerCauseAHint(CapturedOutput log) {
        contexts.withPropertyValues("spring.cache.redis.time-to-live=1m").run(context -> {
            assertThat(context).hasSingleBean(StampedeCacheManager.class);
            assertThat(log).contains("Properties under spring.cache.redis have no effect");
        });
    }

    @Test
    void ordinaryApplicationIsGivenNoHint(CapturedOutput log) {
        contexts.run(context -> assertThat(log).doesNotContain("spring.cache.redis", "No guarded caches"));
    }

    @Test
    void storeOfTheApplicationReplacesRedis() {
        InMemoryStore store = InMemoryStore.create();
        Contexts.onRedis()
                .withBean(CacheStore.class, () -> store)
                .run(context -> assertThat(context.getBean(CacheStore.class)).isSameAs(store));
    }

    @Test
    void listenersOfTheApplicationObserveAllCaches() {
        Answers answers = new Answers();
        contexts.withBean(Products.class)
                .withBean(CacheListener.class, () -> answers)
                .run(context -> {
                    context.getBean(Products.class).find(1);
                    context.getBean(Products.class).find(1);
                    assertThat(answers.seen).containsExactly("products LOADED", "products STORE");
                });
    }

    @Test
    void customizersOfTheApplicationApply() {
        contexts.withBean(Products.class)
                .withBean(StampedeCacheCustomizer.class, () -> (cache, key, loaded) -> loaded.doNotCache())
                .run(context -> {
                    Products products = context.getBean(Products.class);
                    products.find(1);
                    products.find(1);
                    assertThat(products.calls()).isEqualTo(2);
                });
    }

    @Test
    void applicationWithAllThatIsOptionalStarts() {
        Contexts.empty()
                .withUserConfiguration(WithAllThereIs.class)
                .withPropertyValues("stampede.store=in-memory", "management.endpoints.web.exposure.include=*")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context)
                            .hasSingleBean(StampedeEndpoint.class)
                            .hasBean("stampedeHealthIndicator")
                            .hasBean("stampedeMicrometerListener");
                });
    }

    /** Boot leaves out configurations whose classes are absent by their names; this one is there in any case. */
    @Test
    void optionalDependenciesMayBeAbsent() {
        Contexts.empty()
                .withConfiguration(AutoConfigurations.of(StampedeAutoConfiguration.class))
                .withPropertyValues("stampede.store=in-memory")
                .withBean(Products.class)
                .withClassLoader(new FilteredClassLoader(
                        "io.micrometer",
                        "io.stampedeguard.metrics",
                        "org.springframework.boot.actuate",
                        "org.springframework.boot.health",
                        "org.springframework.boot.data.redis"))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    context.getBean(Products.class).find(1);
                    assertThat(Contexts.manager(context).coreCaches()).containsOnlyKeys("products");
                });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithAllThereIs {}

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    static class Enabling {}

    private static final class Answers implements CacheListener {
        final List<String> seen = new CopyOnWriteArrayList<>();

        @Override
        public void onRead(String cache, AnswerSource source) {
            seen.add(cache + " " + source);
        }
    }
}
