package io.stampedeguard.testkit.example;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.EventType;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testkit.CountingLoader;
import io.stampedeguard.testkit.FaultyStore;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class OutageExampleTest {
    private final VirtualTime time = new VirtualTime();
    private final FaultyStore store = FaultyStore.create(time);
    private final RecordingListener events = new RecordingListener();
    private final CountingLoader<Long, String> database = CountingLoader.of(id -> "lamp");

    @Test
    void staleValuesAreServedWhileRedisAndTheDatabaseAreDown() throws InterruptedException {
        try (StampedeGuardedCache<Long, String> products = StampedeGuardedCache.<Long, String>builder("products")
                .store(store)
                .codec(StringCodec.of())
                .policy(CachePolicy.builder()
                        .softTtl(Duration.ofMinutes(1))
                        .hardTtl(Duration.ofHours(1))
                        .build())
                .nearCache(NearCacheOptions.builder().maximumSize(1_000).build())
                .listener(events)
                .timeSource(time)
                .build()) {
            products.get(42L, database);

            store.beginOutage();
            database.failWith(new IOException("the database is down, too"));
            time.advance(Duration.ofMinutes(2));

            assertThat(products.get(42L, database)).isEqualTo("lamp");
            assertThat(events.count(AnswerSource.NEAR_DEGRADED)).isEqualTo(1);
            events.await(EventType.LOAD_FAILED, 1); // in the background

            store.endOutage();
            database.succeed();
            time.advance(Duration.ofHours(1));

            assertThat(products.get(42L, database)).isEqualTo("lamp");
            assertThat(events.count(AnswerSource.FAILED)).isZero();
        }
    }
}
