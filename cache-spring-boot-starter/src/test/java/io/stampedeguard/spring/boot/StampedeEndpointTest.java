package io.stampedeguard.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.spring.StampedeCacheCustomizer;
import io.stampedeguard.spring.boot.Contexts.Products;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.InMemoryStore;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.annotation.Cacheable;

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
            onStore.run(other -> {
                StampedeEndpoint endpoint = other.getBean(StampedeEndpoint.class);
                assertThat(endpoint.cache("products", "1")).asString().contains("fresh");
                endpoint.evict("products", "1", null);
            });
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
    void mistakesAreReported() {
        contexts.run(context -> {
            StampedeEndpoint endpoint = context.getBean(StampedeEndpoint.class);
            assertThatThrownBy(() -> endpoint.evict("others", "1", null))
                    .isInstanceOf(InvalidEndpointRequestException.class)
                    .hasMessageContaining("There is no cache 'others'; there are [products]");
            assertThat(Contexts.manager(context).coreCaches()).isEmpty();
            assertThatThrownBy(() -> endpoint.evict("products", "1", "tag"))
                    .isInstanceOf(InvalidEndpointRequestException.class);
        });
    }

    @Test
    void endpointIsThereOnlyIfItIsExposed() {
        Contexts.inMemory().run(context -> assertThat(context).doesNotHaveBean(StampedeEndpoint.class));
    }
}
