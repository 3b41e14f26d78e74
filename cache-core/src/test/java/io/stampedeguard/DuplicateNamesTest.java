package io.stampedeguard;

import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.codec.JsonCodec;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class DuplicateNamesTest {
    private final String name = "twice-" + LeaseToken.next().toString().replaceAll("[^a-z0-9]", "");
    private final CapturedLog log = new CapturedLog();

    private StampedeGuardedCache<String, String> open(CachePolicy policy) {
        return textCache(name, InMemoryStore.create(TimeSource.system()))
                .policy(policy)
                .build();
    }

    private static CachePolicy policy(int softMinutes, int loads) {
        return CachePolicy.builder()
                .softTtl(Duration.ofMinutes(softMinutes))
                .hardTtl(Duration.ofMinutes(60))
                .maxConcurrentLoads(loads)
                .build();
    }

    @Test
    void secondCacheWithAnotherPolicyIsAWarningWithTheDifference() {
        try (StampedeGuardedCache<String, String> first = open(policy(5, 8));
                StampedeGuardedCache<String, String> second = open(policy(10, 9))) {
            assertThat(first.name()).isEqualTo(second.name());
            assertThat(log.warningsWith("'" + name + "'"))
                    .singleElement()
                    .asString()
                    .contains("is already open in this process; the new one has softTtl PT10M instead of PT5M,"
                            + " maxConcurrentLoads 9 instead of 8");
        }
    }

    record User(long id) {}

    record Order(long id) {}

    @Test
    void sameNameForAnotherClassLogsAWarningNamingBoth() {
        InMemoryStore store = InMemoryStore.create(TimeSource.system());
        try (StampedeGuardedCache<Long, User> users = StampedeGuardedCache.<Long, User>builder(name)
                        .store(store)
                        .codec(JsonCodec.of(User.class))
                        .build();
                StampedeGuardedCache<Long, Order> orders = StampedeGuardedCache.<Long, Order>builder(name)
                        .store(store)
                        .codec(JsonCodec.of(Order.class))
                        .build()) {
            assertThat(users.name()).isEqualTo(orders.name());
            assertThat(log.warningsWith("'" + name + "'"))
                    .singleElement()
                    .asString()
                    .contains("codec json:" + Order.class.getName() + "/1 instead of json:" + User.class.getName()
                            + "/1");
        }
    }

    @Test
    void sameOrLaterCacheWithTheSamePolicyIsNoWarning() {
        open(policy(7, 8)).close();
        try (StampedeGuardedCache<String, String> first = open(policy(5, 8));
                StampedeGuardedCache<String, String> second = open(policy(5, 8))) {
            assertThat(first.name()).isEqualTo(second.name());
            assertThat(log.warningsWith("'" + name + "'")).isEmpty();
        }
    }
}
