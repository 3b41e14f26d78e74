package io.stampedeguard.redis.near;

import static io.stampedeguard.redis.near.NearFleet.count;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.ChangeFeed;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import io.stampedeguard.testbed.measure.Latencies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

/** What one process changes, or another program, reaches the near caches of all. */
@Timeout(value = 10, unit = TimeUnit.MINUTES) // for a fleet that hangs
final class NearReachTest {
    private static final int KEYS = 20;
    private static final Duration STALENESS = Duration.ofSeconds(2);
    private static final Duration LENGTH = Duration.ofMillis(1_500);

    private final RedisProcess redis = RedisServer.startProcess();

    @AfterEach
    void close() {
        redis.close();
    }

    /** Changes some rows, and tells somebody; tells when the call had returned. */
    private interface Changing {
        List<Change> make() throws InterruptedException;
    }

    @ParameterizedTest
    @EnumSource
    void whatAProcessChangesReachesTheOthers(ChangeFeed feed) throws Exception {
        try (NearFleet fleet = open(feed)) {
            FleetMember changer = fleet.member(0);
            for (String by : List.of("invalidate", "put", "expire")) {
                assertReaches(feed + ", " + by, fleet, () -> {
                    NearFleet.change(changer, by, KEYS, LENGTH.minusMillis(500), Duration.ofMillis(20));
                    return fleet.changes(changer);
                });
            }
        }
    }

    @Test
    void whatAnotherProgramRemovesReachesAllWhereRedisTracksTheKeys() throws Exception {
        try (NearFleet fleet = open(ChangeFeed.TRACKED);
                Jedis admin = fleet.admin()) {
            assertReaches("a foreign DEL", fleet, () -> removing(fleet, key -> admin.del("{near:" + key + "}")));
            assertReaches("FLUSHALL", fleet, () -> removing(fleet, key -> admin.flushAll()));
        }
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

    private NearFleet open(ChangeFeed feed) throws InterruptedException {
        NearFleet fleet = new NearFleet(3, redis, NearFleet.lasting(feed, STALENESS), index -> redis.uri());
        fleet.warmUp(KEYS);
        fleet.awaitHits(fleet.members());
        return fleet;
    }

    private static void assertReaches(String what, NearFleet fleet, Changing changing) throws InterruptedException {
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
        assertThat(behind.millisAt(100)).as("%s: ms behind", what).isLessThan(STALENESS.toMillis());
        assertThat(hits).as("%s: near hits", what).isPositive();
    }
}
