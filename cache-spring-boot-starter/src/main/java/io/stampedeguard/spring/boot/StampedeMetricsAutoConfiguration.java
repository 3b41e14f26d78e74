package io.stampedeguard.spring.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.stampedeguard.metrics.MicrometerListener;
import io.stampedeguard.metrics.MicrometerListenerBuilder;
import io.stampedeguard.spring.StampedeCache;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.cache.autoconfigure.metrics.CacheMetricsAutoConfiguration;
import org.springframework.boot.cache.metrics.CacheMeterBinderProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Auto-configuration of the meters and observations of all caches, also of those that are created later: {@code cache.stampede.*},
 * if {@code stampede-guard-micrometer} is there, and {@code cache.gets} and the others that Boot has for each cache.
 */
@AutoConfiguration(
        after = StampedeAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
        before = CacheMetricsAutoConfiguration.class)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({OpenCaches.class, MeterRegistry.class})
public final class StampedeMetricsAutoConfiguration {
    StampedeMetricsAutoConfiguration() {}

    @Bean
    StandardMeters stampedeStandardMeters(ObjectProvider<MeterRegistry> registry) {
        return new StandardMeters(registry::getObject);
    }

    @Bean
    CacheMeterBinderProvider<StampedeCache> stampedeCacheMeterBinderProvider(StandardMeters meters) {
        return meters::binderOnce;
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MicrometerListener.class)
    static class ListenerConfiguration {
        @Bean
        @ConditionalOnMissingBean
        MicrometerListener stampedeMicrometerListener(
                StampedeProperties properties,
                MeterRegistry registry,
                ObjectProvider<ObservationRegistry> observations) {
            MicrometerListenerBuilder listener = MicrometerListener.builder(registry)
                    .histograms(properties.metrics().histograms());
            if (properties.observations().enabled()) {
                observations.ifAvailable(listener::observations);
            }
            return listener.build();
        }
    }
}
