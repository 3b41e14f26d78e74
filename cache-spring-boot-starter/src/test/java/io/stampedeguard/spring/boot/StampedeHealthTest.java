package io.stampedeguard.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.OwnRedis;
import io.stampedeguard.spring.boot.Contexts.Products;
import io.stampedeguard.testkit.Fleet;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.actuate.endpoint.HttpCodeStatusMapper;
import org.springframework.boot.health.actuate.endpoint.StatusAggregator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/** What the application's health says of its caches. */
final class StampedeHealthTest {
    private static final Status DEGRADED = new Status("DEGRADED");

    @Test
    void storeThatAnswersIsUp() {
        Contexts.inMemory().run(context -> {
            Health health = context.getBean("stampedeHealthIndicator", HealthIndicator.class)
                    .health();
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails()).containsEntry("store", "InMemoryStore");
        });
    }

    @Test
    void storeThatDoesNotAnswerIsDegradedAndNeverDown() {
        try (OwnRedis redis = new OwnRedis()) {
            Contexts.onRedis()
                    .withBean(Products.class)
                    .withPropertyValues("stampede.redis.url=" + redis.uri())
                    .run(context -> {
                        Products products = context.getBean(Products.class);
                        HealthIndicator health = context.getBean("stampedeHealthIndicator", HealthIndicator.class);
                        products.find(1);
                        assertThat(health.health().getStatus()).isEqualTo(Status.UP);
                        redis.server().kill();
                        Fleet.until(() -> {
                            products.find(2);
                            Contexts.manager(context).getCache("products").evict(2L);
                            return health.health().getStatus().equals(DEGRADED);
                        });
                        assertThat(health.health().getDetails()).containsKey("queuedChanges");
                        redis.server().restart();
                        Fleet.until(() -> {
                            products.find(1);
                            return health.health().getStatus().equals(Status.UP);
                        });
                    });
        }
    }

    @Test
    void degradedIsReportedIfNothingIsWorse() {
        Contexts.inMemory().run(context -> {
            StatusAggregator aggregator = context.getBean(StatusAggregator.class);
            assertThat(aggregator.getAggregateStatus(Status.UP, DEGRADED)).isEqualTo(DEGRADED);
            assertThat(aggregator.getAggregateStatus(Status.DOWN, DEGRADED)).isEqualTo(Status.DOWN);
        });
    }

    @Test
    void orderOfTheApplicationIsKept() {
        Contexts.inMemory()
                .withPropertyValues("management.endpoint.health.status.order=fatal,up,degraded")
                .run(context -> {
                    StatusAggregator aggregator = context.getBean(StatusAggregator.class);
                    assertThat(aggregator.getAggregateStatus(Status.UP, DEGRADED))
                            .isEqualTo(Status.UP);
                });
    }

    @Test
    void degradedIsHttpStatus200() {
        Contexts.inMemory()
                .run(context -> assertThat(
                                context.getBean(HttpCodeStatusMapper.class).getStatusCode(DEGRADED))
                        .isEqualTo(200));
    }

    @Test
    void contributorCanBeSwitchedOff() {
        Contexts.inMemory()
                .withPropertyValues("management.health.stampede.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean("stampedeHealthIndicator"));
    }
}
