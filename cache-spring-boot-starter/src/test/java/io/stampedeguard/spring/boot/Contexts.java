package io.stampedeguard.spring.boot;

import io.stampedeguard.spring.StampedeCacheManager;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration;
import org.springframework.boot.cache.autoconfigure.metrics.CacheMetricsAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.util.ClassUtils;

/** Contexts of small applications, with the auto-configurations that take part in caching. */
final class Contexts {
    private Contexts() {}

    /** Returns a runner without an application, without Redis, and with the store in memory. */
    static ApplicationContextRunner inMemory() {
        return onRedis().withPropertyValues("stampede.store=in-memory");
    }

    /** Returns a runner without an application, whose store is on Redis and waits also for a machine that stalls. */
    static ApplicationContextRunner onRedis() {
        return withoutProperties().withPropertyValues("stampede.redis.command-timeout=20s");
    }

    /** Returns a runner without an application, and without properties. */
    static ApplicationContextRunner withoutProperties() {
        return empty().withConfiguration(AutoConfigurations.of(ours()))
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        PropertyPlaceholderAutoConfiguration.class,
                        SslAutoConfiguration.class,
                        CacheAutoConfiguration.class,
                        CacheMetricsAutoConfiguration.class,
                        HealthContributorRegistryAutoConfiguration.class,
                        HealthContributorAutoConfiguration.class,
                        HealthEndpointAutoConfiguration.class));
    }

    /** Returns a runner without any configuration. */
    static ApplicationContextRunner empty() {
        return new ApplicationContextRunner()
                // "stampede.redis" is the server for these tests there, and no property of an application.
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .remove(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME));
    }

    private static Class<?>[] ours() {
        List<Class<?>> found = new ArrayList<>();
        ClassLoader loader = Contexts.class.getClassLoader();
        for (String name : ImportCandidates.load(AutoConfiguration.class, loader)) {
            if (name.startsWith("io.stampedeguard.")) {
                found.add(ClassUtils.resolveClassName(name, loader));
            }
        }
        return found.toArray(Class<?>[]::new);
    }

    static StampedeCacheManager manager(ApplicationContext context) {
        return context.getBean(StampedeCacheManager.class);
    }

    /** A service with a cached method, whose calls are counted. */
    public static class Products {
        final AtomicInteger calls = new AtomicInteger();

        @Cacheable("products")
        public String find(long id) {
            calls.incrementAndGet();
            return "product " + id;
        }

        public int calls() {
            return calls.get();
        }
    }
}
