package io.stampedeguard.redis.near;

import static io.stampedeguard.redis.near.NearFleet.count;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.measure.Latencies;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A change by one process reaches the near caches of all. */
@Timeout(value = 10, unit = TimeUnit.MINUTES) // for a fleet that hangs
final class NearReachTest {
    private static final int KEYS = 20;
    /** So long that only the message of a change makes a near cache read Redis again. */
    private static final Duration STALENESS = Duration.ofHours(1);

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration LENGTH = Duration.ofMillis(1_500);

    @AutoClose
    private final RedisProcess redis = RedisServer.startProcess();

    /** Changes some rows, and notifies a cache; returns when that call had returned. */
    private interface Changing {
        List<Change> make() throws InterruptedException;
    }

    @Test
    void whatAProcessChangesReachesTheOthers() throws Exception {
        try (NearFleet fleet = open()) {
            FleetMember changer = fleet.member(0);
            for (String by : List.of("invalidate", "put", "expire")) {
                List<Change> changes = whileAllRead(by, fleet, () -> {
                    NearFleet.change(changer, by, KEYS, LENGTH.minusMillis(500), Duration.ofMillis(20));
                    return fleet.changes(changer);
                });
                awaitVersions(by, fleet, changes);
            }
        }
    }

    private NearFleet open() throws InterruptedException {
        NearFleet fleet = new NearFleet(3, redis, NearFleet.lasting(STALENESS), index -> redis.uri());
        fleet.warmUp(KEYS);
        fleet.awaitHits(fleet.members());
        return fleet;
    }

    /** Waits until all members read the last change. */
    private static void awaitVersions(String what, NearFleet fleet, List<Change> changes) throws InterruptedException {
        Map<String, Long> last = changes.stream().collect(Collectors.toMap(Change::key, Change::version, Math::max));
        long began = System.nanoTime();
        for (FleetMember member : fleet.members()) {
            for (Map<String, Long> read = Map.of(); !read.entrySet().containsAll(last.entrySet()); ) {
                read = fleet.versions(member, KEYS);
                assertThat(Duration.ofNanos(System.nanoTime() - began))
                        .as("%s: %s, as %s reads it", what, last, read)
                        .isLessThan(PATIENCE);
            }
        }
    }

    private static List<Change> whileAllRead(String what, NearFleet fleet, Changing changing)
            throws InterruptedException {
        for (FleetMember member : fleet.members()) {
            fleet.counts(member);
            NearFleet.read(member, KEYS, 2, LENGTH, Duration.ofMillis(1));
        }
        List<Change> changes = changing.make();
        Latencies behind = new Latencies();
        long hits = 0;
        long calls = 0;
        for (FleetMember member : fleet.members()) {
            Readings readings = fleet.readings(member);
            changes.forEach(change -> behind.record(TimeUnit.MICROSECONDS.toNanos(readings.behindMicros(change))));
            Message counts = fleet.counts(member);
            hits += count(counts, "NEAR");
            calls += count(counts, "NEAR")
                    + count(counts, "STORE_FRESH")
                    + count(counts, "STORE_STALE")
                    + count(counts, "STORE_ABSENT");
        }
        System.err.printf(
                "%s: %d changes in 3 processes, behind by %.2f ms (p50), %.2f ms (p99), %.2f ms (most); %d of %d calls near hits%n",
                what, changes.size(), behind.millisAt(50), behind.millisAt(99), behind.millisAt(100), hits, calls);
        assertThat(changes).as(what).isNotEmpty();
        assertThat(hits).as("%s: near hits", what).isPositive();
        return changes;
    }
}
