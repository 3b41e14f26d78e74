package io.stampedeguard.testkit.example;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.event.LoadOutcome;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.CountingLoader;
import io.stampedeguard.testkit.FaultyStore;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.VirtualTime;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class ExpiryExampleTest {
    private final VirtualTime time = new VirtualTime();
    private final RecordingListener events = new RecordingListener();
    private final AtomicReference<String> row = new AtomicReference<>("lamp");
    private final CountingLoader<Long, String> database = CountingLoader.of(id -> row.get());

    @Test
    void expiredValueIsServedOnceMoreAndReloadedInTheBackground() throws InterruptedException {
        try (StampedeGuardedCache<Long, String> products = StampedeGuardedCache.<Long, String>builder("products")
                .store(FaultyStore.create(time))
                .codec(StringCodec.of())
                .policy(CachePolicy.builder()
                        .softTtl(Duration.ofMinutes(10))
                        .hardTtl(Duration.ofHours(1))
                        .build())
                .listener(events)
                .timeSource(time)
                .build()) {
            products.get(42L, database);
            row.set("lantern");
            time.advance(Duration.ofMinutes(10)); // at once, without sleep

            assertThat(products.get(42L, database)).isEqualTo("lamp");

            events.await(LoadOutcome.STORED, 2); // the first load, and the reload in the background
            assertThat(products.get(42L, database)).isEqualTo("lantern");
            assertThat(database.loads(42L)).isEqualTo(2);
        }
    }
}
