package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.Policies.withoutJitter;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.EventType;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Keys in use are reloaded before they are stale, once in the fleet. */
final class EarlyReloadTest {
    @ForEach
    void hotKeyIsLoadedOnceInALifeAndIsNeverStale(boolean near) {
        CachePolicy policy = withoutJitter(ofSeconds(1), ofSeconds(1)).build();
        int lives = 30;
        AtomicInteger loads = new AtomicInteger();
        try (Fleet fleet = near ? Fleet.near(4, policy) : new Fleet(4, policy)) {
            Loader<String, String> loader = key -> {
                fleet.advance(ofMillis(100)); // the duration of a load
                return "value " + loads.incrementAndGet();
            };
            fleet.cache(0).get("k", loader);
            Duration step = ofMillis(10);
            long began = fleet.time().monotonicNanos();
            while (loads.get() < lives) {
                fleet.advance(step);
                for (int process = 0; process < 4; process++) {
                    fleet.cache(process).get("k", loader);
                }
                until(() -> isQuiet(fleet));
            }
            Duration took = Duration.ofNanos(fleet.time().monotonicNanos() - began);

            assertThat(fleet.listener().count(EventType.LOAD_STORED)).isEqualTo(lives);
            for (Enum<?> never : List.of(EventType.STORE_STALE, EventType.LOAD_FENCED, EventType.LOAD_FAILED)) {
                assertThat(fleet.listener().count(never)).as(never.name()).isZero();
            }
            assertThat(fleet.listener().events())
                    .noneMatch(event -> event.name().startsWith("WAIT_"));
            assertThat(fleet.listener().count(EventType.STORE_ABSENT))
                    .as("the first only")
                    .isEqualTo(1);
            assertThat(took.toMillis() / (double) (lives - 1))
                    .as("ms from load to load")
                    .isBetween(500.0, 1_100.0);
        }
    }

    /** Each queued reload has ended: with a load, or because another process loads or has loaded the key. */
    private static boolean isQuiet(Fleet fleet) {
        return IntStream.range(0, 4).allMatch(process -> fleet.cache(process).reloading() == 0);
    }
}
