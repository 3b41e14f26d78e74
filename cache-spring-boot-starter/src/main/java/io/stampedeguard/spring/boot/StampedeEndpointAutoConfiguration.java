package io.stampedeguard.spring.boot;

import io.stampedeguard.spring.StampedeCacheManager;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the Actuator endpoint {@code stampede}. */
@AutoConfiguration(after = StampedeAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnAvailableEndpoint(StampedeEndpoint.class)
@ConditionalOnBean(OpenCaches.class)
public final class StampedeEndpointAutoConfiguration {
    StampedeEndpointAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    StampedeEndpoint stampedeEndpoint(
            StampedeCacheManager manager, OpenCaches caches, ConfigurableListableBeanFactory beans) {
        return new StampedeEndpoint(new KnownCaches(manager, beans), caches);
    }

    @Bean
    @ConditionalOnMissingBean
    StampedeWebEndpoint stampedeWebEndpoint(StampedeEndpoint endpoint) {
        return new StampedeWebEndpoint(endpoint);
    }
}
