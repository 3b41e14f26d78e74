package io.stampedeguard.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.store.InMemoryStore;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Caching;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.interceptor.CacheResolver;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;

/** Annotations of one method that differ only in where their caches come from. */
final class ManyAnnotationsTest {
    private final AnnotationConfigApplicationContext context =
            new AnnotationConfigApplicationContext(Application.class);
    private final Products products = context.getBean(Products.class);
    private final StampedeCache shared =
            context.getBean("shared", StampedeCacheManager.class).getCache("products");
    private final StampedeCache local =
            context.getBean("local", StampedeCacheManager.class).getCache("products");

    @Configuration
    @EnableCaching
    @Import({StampedeCachingConfiguration.class, Products.class})
    static class Application {
        @Bean
        @Primary
        StampedeCacheManager shared() {
            return StampedeCacheManager.builder(InMemoryStore.create()).build();
        }

        @Bean
        StampedeCacheManager local() {
            return StampedeCacheManager.builder(InMemoryStore.create()).build();
        }

        @Bean
        CacheResolver ofShared(StampedeCacheManager shared) {
            return invocation -> List.of(shared.getCache("products"));
        }

        @Bean
        CacheResolver ofLocal() {
            return invocation -> List.of(local().getCache("products"));
        }
    }

    static class Products {
        @Caching(
                evict = {
                    @CacheEvict(cacheNames = "products", cacheManager = "shared"),
                    @CacheEvict(cacheNames = "products", cacheManager = "local")
                })
        public void remove(long id) {}

        @Caching(
                evict = {
                    @CacheEvict(cacheNames = "products", cacheResolver = "ofShared"),
                    @CacheEvict(cacheNames = "products", cacheResolver = "ofLocal")
                })
        public void removeResolved(long id) {}

        @Caching(
                put = {
                    @CachePut(cacheNames = "products", cacheManager = "shared"),
                    @CachePut(cacheNames = "products", cacheManager = "local")
                })
        public String replace(long id) {
            return "product " + id;
        }
    }

    @AfterEach
    void close() {
        context.close();
    }

    private void bothHave(long id) {
        shared.put(id, "old");
        local.put(id, "old");
    }

    private void neitherHas(long id) {
        assertThat(shared.get(id)).isNull();
        assertThat(local.get(id)).isNull();
    }

    @Test
    void evictReachesTheCachesOfBothManagers() {
        bothHave(1);
        products.remove(1);
        neitherHas(1);
    }

    @Test
    void evictReachesTheCachesOfBothResolvers() {
        bothHave(1);
        products.removeResolved(1);
        neitherHas(1);
    }

    @Test
    void putReachesTheCachesOfBothManagers() {
        products.replace(1);
        assertThat(shared.get(1L, String.class)).isEqualTo("product 1");
        assertThat(local.get(1L, String.class)).isEqualTo("product 1");
    }
}
