package io.stampedeguard.examples.micronaut;

import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Replaces;
import io.micronaut.context.annotation.Value;
import io.stampedeguard.GuardedCaches;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisStore;
import jakarta.inject.Singleton;
import java.time.Duration;
import javax.sql.DataSource;

/** Caches whose loads, callers, and commands may take longer than a busy machine stalls. */
@Factory
final class LongLimits {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(Duration.ofMinutes(10))
            .leaseTtl(Duration.ofMinutes(1))
            .loadTimeout(Duration.ofMinutes(2))
            .waitTimeout(Duration.ofMinutes(2))
            .build();

    @Singleton
    @Bean(preDestroy = "close")
    @Replaces(value = GuardedCaches.class, factory = Caches.class)
    GuardedCaches caches(@Value("${redis.uri}") String redis, DataSource neededByLoads) {
        return GuardedCaches.owning(
                RedisStore.builder().commandTimeout(Duration.ofSeconds(20)).connect(redis),
                each -> each.policy(POLICY));
    }
}
