package io.stampedeguard.spring.boot;

import io.stampedeguard.store.CacheStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.health.actuate.endpoint.StatusAggregator;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of the health contributor {@code stampede}. Switched off by {@code management.health.stampede.enabled=false}.
 */
@AutoConfiguration(after = StampedeAutoConfiguration.class, before = HealthEndpointAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(OpenCaches.class)
@ConditionalOnEnabledHealthIndicator("stampede")
public final class StampedeHealthAutoConfiguration {
    private static final List<String> USUAL_ORDER = List.of("DOWN", "OUT_OF_SERVICE", "UP", "UNKNOWN");

    StampedeHealthAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(name = "stampedeHealthIndicator")
    HealthIndicator stampedeHealthIndicator(CacheStore store, OpenCaches caches) {
        return new StampedeHealthIndicator(store, caches);
    }

    /**
     * Boot's aggregator ignores a status that is not in its order. Here {@code DEGRADED} is reported if nothing is worse. Its HTTP
     * status is 200, as of every one without a mapping.
     */
    @Bean
    @ConditionalOnMissingBean
    StatusAggregator healthStatusAggregator(Environment environment) {
        List<String> order = Binder.get(environment)
                .bind("management.endpoint.health.status.order", Bindable.listOf(String.class))
                .orElse(USUAL_ORDER)
                .stream()
                .map(StampedeHealthAutoConfiguration::uniform)
                .collect(Collectors.toCollection(ArrayList::new));
        String degraded = uniform(StampedeHealthIndicator.DEGRADED.getCode());
        int up = order.indexOf(uniform(Status.UP.getCode()));
        if (!order.contains(degraded) && up >= 0) {
            order.add(up, degraded);
        }
        return found -> found.stream()
                .filter(status -> order.contains(uniform(status.getCode())))
                .min(Comparator.comparingInt(status -> order.indexOf(uniform(status.getCode()))))
                .orElse(Status.UNKNOWN);
    }

    /** Returns a code as Boot compares it: {@code OUT_OF_SERVICE} is the same as {@code out-of-service}. */
    private static String uniform(String code) {
        return code.replaceAll("[^\\p{L}\\p{N}]", "").toLowerCase(Locale.ROOT);
    }
}
