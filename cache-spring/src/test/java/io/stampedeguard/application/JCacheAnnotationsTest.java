package io.stampedeguard.application;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.CapturedLog;
import io.stampedeguard.spring.StampedeCacheManager;
import io.stampedeguard.spring.StampedeCachingConfiguration;
import io.stampedeguard.store.InMemoryStore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.cache.annotation.CacheRemove;
import javax.cache.annotation.CacheResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The annotations of JSR-107, which Spring puts on the manager as a look-up and a put. */
@Tag("jcache")
final class JCacheAnnotationsTest {
    private final AnnotationConfigApplicationContext context =
            new AnnotationConfigApplicationContext(Application.class);
    private final Products products = context.getBean(Products.class);

    @Configuration
    @EnableCaching
    @Import({StampedeCachingConfiguration.class, Products.class, StoredOrders.class})
    static class Application {
        @Bean
        StampedeCacheManager manager() {
            return StampedeCacheManager.builder(InMemoryStore.create()).build();
        }
    }

    static class Products {
        private final AtomicInteger calls = new AtomicInteger();
        private final StampedeCacheManager manager;

        Products(StampedeCacheManager manager) {
            this.manager = manager;
        }

        public int calls() {
            return calls.get();
        }

        @CacheResult(cacheName = "of JSR-107")
        public String find(long id) {
            calls.incrementAndGet();
            return "product " + id;
        }

        @CacheResult(cacheName = "of JSR-107")
        public String findWhileItChanges(long id) {
            manager.typed("of JSR-107", Long.class, String.class).invalidate(id);
            return find(id);
        }

        @CacheRemove(cacheName = "of JSR-107")
        public void rename(long id) {}
    }

    /** The interface of a bean, whose proxy is none of the class. */
    interface Orders {
        String find(long id);
    }

    static class StoredOrders implements Orders {
        @Override
        @CacheResult(cacheName = "orders of JSR-107")
        public String find(long id) {
            return "order " + id;
        }
    }

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void callerComputesOnceUntilTheRemoval() {
        assertThat(products.find(1)).isEqualTo("product 1");
        assertThat(products.find(1)).isEqualTo("product 1");
        assertThat(products.calls()).isEqualTo(1);

        products.rename(1);
        products.find(1);
        assertThat(products.calls()).isEqualTo(2);
    }

    @Test
    void valueFromBeforeAChangeIsNotStored() {
        products.findWhileItChanges(1);
        products.find(1);
        assertThat(products.calls()).isEqualTo(2);
    }

    @Test
    void eachMethodIsNamedOnceByItsOwnClass() {
        try (CapturedLog log = new CapturedLog()) {
            products.find(1);
            products.rename(1);
            products.find(1);

            assertThat(adviceOn("of JSR-107", log))
                    .singleElement()
                    .asString()
                    .contains(" " + Products.class.getName() + ".find looks up and puts by itself");
        }
    }

    @Test
    void methodBehindAnInterfaceIsNamedByThat() {
        try (CapturedLog log = new CapturedLog()) {
            context.getBean(Orders.class).find(1);

            assertThat(adviceOn("orders of JSR-107", log))
                    .singleElement()
                    .asString()
                    .contains(" " + Orders.class.getName() + ".find looks up and puts by itself");
        }
    }

    private static Stream<String> adviceOn(String cache, CapturedLog log) {
        return log.text().lines().filter(line -> line.contains("Cache '" + cache + "'"));
    }
}
