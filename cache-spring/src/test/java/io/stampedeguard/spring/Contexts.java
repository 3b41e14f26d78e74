package io.stampedeguard.spring;

import io.stampedeguard.store.InMemoryStore;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Contexts of small applications, whose store is in memory. */
final class Contexts {
    private Contexts() {}

    /** Returns a new context with caches and with beans of some classes, to be closed. */
    static AnnotationConfigApplicationContext of(Class<?>... beans) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.register(Caches.class);
        context.register(beans);
        context.refresh();
        return context;
    }

    @Configuration
    @EnableCaching
    @Import(StampedeCachingConfiguration.class)
    static class Caches {
        @Bean
        StampedeCacheManager manager() {
            return StampedeCacheManager.builder(InMemoryStore.create()).build();
        }
    }
}
