package io.stampedeguard.redis.near;

import static io.stampedeguard.redis.near.NearFleet.count;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.InvalidationMode;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import io.stampedeguard.testbed.measure.Latencies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

/** A change by one process, or by another program, reaches the near caches of all. */
@Timeout(value = 10, unit = TimeUnit.MINUTES) // for a fleet that hangs
final class NearReachTest {
    private static final int KEYS = 20;
    /** So long that only the message of a change makes a near cache read Redis again. */
    private static final Duration STALENESS = Duration.ofHours(1);

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration LENGTH = Duration.ofMillis(1_500);

    private final RedisProcess redis = RedisServer.startProcess();

    @AfterEach
    void close() {
        redis.close();
    }

    /** Changes some rows, and notifies a cache; returns when that call had returned. */
    private interface Changing {
        List<Change> make() throws InterruptedException;
    }

    @ParameterizedTest
    @EnumSource
    void whatAProcessChangesReachesTheOthers(InvalidationMode feed) throws Exception {
        try (NearFleet fleet = open(feed)) {
            FleetMember changer = fleet.member(0);
            for (String by : List.of("invalidate", "put", "expire")) {
                String what = feed + ", " + by;
                List<Change> changes = whileAllRead(what, fleet, () -> {
                    NearFleet.change(changer, by, KEYS, LENGTH.minusMillis(500), Duration.ofMillis(20));
                    return fleet.changes(changer);
                });
                awaitVersions(what, fleet, changes);
            }
        }
    }

    @Test
    void whatAnotherProgramRemovesReachesAllWhereRedisTracksTheKeys() throws Exception {
        try (NearFleet fleet = open(InvalidationMode.CLIENT_TRACKING);
                Jedis admin = fleet.admin()) {
            assertForeignReaches("a foreign DEL", fleet, key -> admin.del("{near:" + key + "}"));
            assertForeignReaches("FLUSHALL", fleet, key -> admin.flushAll());
        }
    }

    /**
     * A program that removes the value only does not stop a running load of the old row: so, at the end, nothing is
     * loading.
     */
    private static void assertForeignReaches(String what, NearFleet fleet, Removal removal)
            throws InterruptedException {
        whileAllRead(what, fleet, () -> removing(fleet, removal));
        awaitVersions(what, fleet, removing(fleet, removal));
    }

    private interface Removal {
        void of(int key);
    }

    private static List<Change> removing(NearFleet fleet, Removal removal) throws InterruptedException {
        List<Change> changes = new ArrayList<>();
        for (int i = 0; i < 2 * KEYS; i++) {
            int key = i % KEYS;
            long version = fleet.rows().write(Integer.toString(key));
            removal.of(key);
            changes.add(new Change(Integer.toString(key), version, WallClock.micros()));
            TimeUnit.MILLISECONDS.sleep(20);
        }
        return changes;
    }

    private NearFleet open(InvalidationMode feed) throws InterruptedException {
        NearFleet fleet = new NearFleet(3, redis, NearFleet.lasting(feed, STALENESS), index -> redis.uri());
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
            calls += count(counts, "NEAR") + count(counts, "FRESH") + count(counts, "STALE") + count(counts, "ABSENT");
        }
        System.err.printf(
                "%s: %d changes in 3 processes, behind by %.2f ms (p50), %.2f ms (p99), %.2f ms (most); %d of %d calls near hits%n",
                what, changes.size(), behind.millisAt(50), behind.millisAt(99), behind.millisAt(100), hits, calls);
        assertThat(changes).as(what).isNotEmpty();
        assertThat(hits).as("%s: near hits", what).isPositive();
        return changes;
    }
}
