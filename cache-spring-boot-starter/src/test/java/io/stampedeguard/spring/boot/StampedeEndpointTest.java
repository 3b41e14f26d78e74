package io.stampedeguard.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.spring.StampedeCacheCustomizer;
import io.stampedeguard.spring.boot.Contexts.Products;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.InMemoryStore;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.core.OverridingClassLoader;

/** What an operator can ask, and change. */
final class StampedeEndpointTest {
    private final ApplicationContextRunner contexts = Contexts.inMemory()
            .withBean(Products.class)
            .withPropertyValues("management.endpoints.web.exposure.include=stampede");

    @Test
    void cachesAreListedOnceTheyAreUsed() {
        contexts.run(context -> {
            StampedeEndpoint endpoint = context.getBean(StampedeEndpoint.class);
            assertThat(endpoint.caches()).isEqualTo(Map.of("caches", Map.of()));
            context.getBean(Products.class).find(1);
            assertThat(endpoint.caches().get("caches"))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsOnlyKeys("products");
        });
    }

    @Test
    void oneCacheIsShownWithItsSettingsAndHotKeys() {
        contexts.run(context -> {
            context.getBean(Products.class).find(1);
            StampedeEndpoint endpoint = context.getBean(StampedeEndpoint.class);
            assertThat(endpoint.cache("products", null)).containsKeys("policy", "hotKeys", "waiting");
            assertThat(endpoint.cache("others", null)).isNull();
        });
    }

    @Test
    void keyIsExplained() {
        contexts.run(context -> {
            context.getBean(Products.class).find(1);
            assertThat(context.getBean(StampedeEndpoint.class).cache("products", "1"))
                    .asString()
                    .contains("fresh");
        });
    }

    @Test
    void queryCreatesNoCache() {
        contexts.run(context -> {
            StampedeEndpoint endpoint = context.getBean(StampedeEndpoint.class);
            assertThat(endpoint.cache("products", null)).isEqualTo(Map.of("cache", "products", "used", false));
            assertThat(endpoint.cache("products", "1")).isEqualTo(Map.of("cache", "products", "used", false));
            assertThat(Contexts.manager(context).coreCaches()).isEmpty();
        });
    }

    @Test
    void keyIsRemoved() {
        contexts.run(context -> {
            Products products = context.getBean(Products.class);
            products.find(1);
            products.find(2);
            context.getBean(StampedeEndpoint.class).evict("products", "1", null);
            products.find(1);
            products.find(2);
            assertThat(products.calls()).isEqualTo(3);
        });
    }

    @Test
    void allEntriesAreRemoved() {
        contexts.run(context -> {
            Products products = context.getBean(Products.class);
            products.find(1);
            products.find(2);
            context.getBean(StampedeEndpoint.class).evict("products", null, null);
            products.find(1);
            products.find(2);
            assertThat(products.calls()).isEqualTo(4);
        });
    }

    @Test
    void entriesWithATagAreRemoved() {
        contexts.withBean(StampedeCacheCustomizer.class, () -> (cache, key, loaded) -> loaded.tags("tag " + key))
                .run(context -> {
                    Products products = context.getBean(Products.class);
                    products.find(1);
                    products.find(2);
                    context.getBean(StampedeEndpoint.class).evict("products", null, "tag 1");
                    products.find(1);
                    products.find(2);
                    assertThat(products.calls()).isEqualTo(3);
                });
    }

    @Test
    void keyOfACacheThatThisProcessHasNotUsedIsRemoved() {
        InMemoryStore store = InMemoryStore.create();
        ApplicationContextRunner onStore = contexts.withBean(CacheStore.class, () -> store);
        onStore.run(context -> {
            Products products = context.getBean(Products.class);
            products.find(1);
            products.find(2);
            onStore.run(other -> other.getBean(StampedeEndpoint.class).evict("products", "1", null));
            products.find(1);
            products.find(2);
            assertThat(products.calls()).isEqualTo(3);
        });
    }

    @Test
    void cacheOfAPropertyOrAnInterfaceIsKnown() {
        contexts.withPropertyValues("stampede.caches.prices.soft-ttl=1m")
                .withBean(Repository.class, StoredOrders::new)
                .run(context -> {
                    StampedeEndpoint endpoint = context.getBean(StampedeEndpoint.class);
                    endpoint.evict("prices", null, null);
                    endpoint.evict("orders", null, null);
                    assertThat(Contexts.manager(context).coreCaches()).containsOnlyKeys("orders", "prices");
                });
    }

    interface Repository {
        @Cacheable("orders")
        String find(long id);
    }

    static class StoredOrders implements Repository {
        @Override
        public String find(long id) {
            return "order " + id;
        }
    }

    @Test
    void cacheOfAnotherManagerOrResolverIsUnknown() {
        contexts.withBean("unused", OfOthers.class, OfOthers::new, unused -> unused.setLazyInit(true))
                .run(context -> {
                    StampedeEndpoint endpoint = context.getBean(StampedeEndpoint.class);
                    assertThat(endpoint.cache("ofManager", null)).isNull();
                    assertThat(endpoint.cache("ofResolver", null)).isNull();
                    assertThat(endpoint.cache("ours", null)).isNotNull();
                });
    }

    static class OfOthers {
        @Cacheable(cacheNames = "ofManager", cacheManager = "another")
        public String ofManager(long id) {
            return "product " + id;
        }

        @Cacheable(cacheNames = "ofResolver", cacheResolver = "another")
        public String ofResolver(long id) {
            return "product " + id;
        }

        @Cacheable("ours")
        public String ours(long id) {
            return "product " + id;
        }
    }

    @Test
    void beanThatNamesAMissingClassHidesNoCache() throws Exception {
        ClassLoader loader = new OverridingClassLoader(new FilteredClassLoader(Missing.class)) {
            @Override
            protected boolean isEligibleForOverriding(String name) {
                return name.equals(Incomplete.class.getName());
            }
        };
        RootBeanDefinition unused = new RootBeanDefinition(loader.loadClass(Incomplete.class.getName()));
        unused.setLazyInit(true);
        contexts.withInitializer(context -> ((BeanDefinitionRegistry) context.getBeanFactory())
                        .registerBeanDefinition("incomplete", unused))
                .run(context -> assertThat(
                                context.getBean(StampedeEndpoint.class).cache("products", null))
                        .isNotNull());
    }

    static class Missing {}

    static class Incomplete {
        public void use(Missing missing) {}
    }

    @Test
    void annotationsAreReadOnce() {
        TypesAsked asked = new TypesAsked();
        contexts.withBean(TypesAsked.class, () -> asked)
                .withBean("unused", OfOthers.class, OfOthers::new, unused -> unused.setLazyInit(true))
                .run(context -> {
                    StampedeEndpoint endpoint = context.getBean(StampedeEndpoint.class);
                    int before = asked.count.get();
                    assertThat(endpoint.cache("others", null)).isNull();
                    int after = asked.count.get();
                    assertThat(after).isGreaterThan(before);
                    assertThat(endpoint.cache("more", null)).isNull();
                    assertThat(asked.count).hasValue(after);
                });
    }

    /** Counts how often the type of a bean is asked for that is never created. */
    static final class TypesAsked implements SmartInstantiationAwareBeanPostProcessor {
        final AtomicInteger count = new AtomicInteger();

        @Override
        public @Nullable Class<?> predictBeanType(Class<?> type, String name) {
            if (name.equals("unused")) {
                count.incrementAndGet();
            }
            return null;
        }
    }

    @Test
    void mistakesAreReported() {
        contexts.run(context -> {
            StampedeEndpoint endpoint = context.getBean(StampedeEndpoint.class);
            assertThatThrownBy(() -> endpoint.evict("others", "1", null))
                    .isInstanceOf(InvalidEndpointRequestException.class)
                    .hasMessage("No property or annotation names a cache 'others', and this process has not used it");
            assertThatThrownBy(() -> endpoint.evict("products", "1", "tag"))
                    .isInstanceOf(InvalidEndpointRequestException.class);
            assertThat(Contexts.manager(context).coreCaches()).isEmpty();
        });
    }

    /** Boot leaves the messages of exceptions out of responses. */
    @Test
    void responseOverHttpSaysWhatIsWrong() {
        contexts.run(context -> {
            StampedeWebEndpoint endpoint = context.getBean(StampedeWebEndpoint.class);
            WebEndpointResponse<Map<String, String>> refused = endpoint.evict("others", "1", null);
            assertThat(refused.getStatus()).isEqualTo(400);
            assertThat(refused.getBody())
                    .isEqualTo(Map.of(
                            "message",
                            "No property or annotation names a cache 'others', and this process has not used it"));
            assertThat(endpoint.evict("products", "1", null).getStatus()).isEqualTo(204);
        });
    }

    @Test
    void endpointIsThereOnlyIfItIsExposed() {
        Contexts.inMemory().run(context -> assertThat(context).doesNotHaveBean(StampedeEndpoint.class));
    }
}
