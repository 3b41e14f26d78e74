package io.stampedeguard.examples.micronaut;

import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Value;
import io.micronaut.scheduling.TaskExecutors;
import io.stampedeguard.GuardedCaches;
import io.stampedeguard.codec.Jackson2Codec;
import io.stampedeguard.examples.micronaut.guarded.GuardedSyncCache;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisStore;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import javax.sql.DataSource;

/** The caches of the application, one bean for each name that its annotations use. */
@Factory
final class Caches {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(Duration.ofMinutes(1))
            .hardTtl(Duration.ofMinutes(10))
            .build();

    @Singleton
    @Bean(preDestroy = "close")
    GuardedCaches caches(
            @Value("${redis.uri}") String redis, DataSource neededByLoads /* so it is closed after the caches */) {
        return GuardedCaches.owning(
                RedisStore.builder().keyPrefix("catalogue-micronaut:").connect(redis), each -> each.policy(POLICY));
    }

    @Singleton
    GuardedSyncCache<Long, Product> products(
            GuardedCaches caches, @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
        return new GuardedSyncCache<>(
                caches.cache("products", Long.class, Jackson2Codec.of(Product.class))
                        .build(),
                Long.class,
                Product.class,
                executor);
    }
}
