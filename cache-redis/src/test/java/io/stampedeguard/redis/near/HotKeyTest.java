package io.stampedeguard.redis.near;

import static io.stampedeguard.redis.near.NearFleet.count;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A key that four processes request all the time is reloaded once in each of its lives, before it expires, and no
 * caller waits.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES) // for a fleet that hangs
final class HotKeyTest {
    private static final long SOFT_MILLIS = 1_000;
    private static final long LOAD_MILLIS = 100;
    private static final Duration LENGTH = Duration.ofSeconds(5);
    /** Usually in {@link #LENGTH}; on a slow machine it is read for longer. */
    private static final int LEAST_LOADS = 3;
    /** Longer than any machine stalls: near caches answer all the time. */
    private static final Duration STALENESS = Duration.ofSeconds(20);
    /** Jitter takes at most a tenth, and no entry is reloaded early in the first half of its life. */
    private static final long SHORTEST_LIFE_MILLIS = SOFT_MILLIS * 9 / 10 / 2;

    @AutoClose
    private final RedisProcess redis = RedisServer.startProcess();

    @Test
    void nearCachesHaveItReloadedOnceALife() throws Exception {
        Message counts = assertReloadedOnceALife("near caches", open());
        assertThat(count(counts, "NEAR")).isGreaterThan(count(counts, "STORE_FRESH"));
    }

    @Test
    @Tag("proof")
    void withoutNearCachesItIsReloadedOnceALifeAsWell() throws Exception {
        Message counts = assertReloadedOnceALife("no near caches", open().with("withoutNear", true));
        assertThat(count(counts, "NEAR")).isZero();
    }

    private static Message open() {
        return Message.of("open")
                .with("softMillis", SOFT_MILLIS)
                .with("loadMillis", LOAD_MILLIS)
                .with("stalenessMillis", STALENESS.toMillis());
    }

    private Message assertReloadedOnceALife(String with, Message open) throws Exception {
        try (NearFleet fleet = new NearFleet(4, redis, open, index -> redis.uri())) {
            fleet.warmUp(1);
            if (!open.fields().containsKey("withoutNear")) {
                fleet.awaitHits(fleet.members());
            }
            for (FleetMember member : fleet.members()) {
                fleet.counts(member);
            }
            long slowestMicros = 0;
            Message all = Message.of("counts");
            do {
                for (FleetMember member : fleet.members()) {
                    NearFleet.read(member, 1, 4, LENGTH, Duration.ofMillis(2));
                }
                for (FleetMember member : fleet.members()) {
                    slowestMicros = Math.max(
                            slowestMicros, NearFleet.hear(member, "read").number("slowestMicros"));
                    all = sum(all, fleet.counts(member));
                }
            } while (fleet.rows().loads("0").size() < LEAST_LOADS);
            List<Long> loads = fleet.rows().loads("0");
            System.err.printf(
                    "Hot key, %s: %d loads, of lives of up to 1 s, slowest call %.1f ms, %s%n",
                    with, count(all, "LOAD_STORED"), slowestMicros / 1e3, all.fields());
            assertThat(count(all, "WAITED")).as("calls that waited").isZero();
            for (int i = 1; i < loads.size(); i++) {
                assertThat((loads.get(i) - loads.get(i - 1)) / 1_000)
                        .as("ms from load %d to the next", i)
                        .isGreaterThanOrEqualTo(SHORTEST_LIFE_MILLIS);
            }
            return all;
        }
    }

    private static Message sum(Message one, Message other) {
        Message sum = one;
        for (String name : other.fields().keySet()) {
            sum = sum.with(name, count(one, name) + count(other, name));
        }
        return sum;
    }
}
