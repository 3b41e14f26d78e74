package io.stampedeguard.redis.near;

import static io.stampedeguard.redis.near.NearFleet.count;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.measure.Latencies;
import io.stampedeguard.testbed.measure.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.Jedis;

/**
 * For some seconds two processes are not notified of changes, although they can read Redis: one gets no more messages
 * on its connection, without any sign; the other is disconnected and cannot connect. A third one changes rows all the
 * time.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES) // for a fleet that hangs
@Order(5)
final class NearGapTest {
    private static final int KEYS = 200;
    private static final int SOME_KEYS = 50;
    private static final int TIMES = 10;
    /** So long that a near cache answers repeatedly, however busy the machine is. */
    private static final Duration STALENESS = Duration.ofSeconds(10);

    private static final Duration BEFORE = Duration.ofSeconds(1);
    private static final Duration GAP = Duration.ofSeconds(12);
    private static final Duration AFTER = Duration.ofSeconds(2);
    private static final Duration PAUSE = Duration.ofMillis(1);

    private final RedisProcess redis = RedisServer.startProcess();
    private final ChangesRelay losing = new ChangesRelay(redis.host(), redis.port());
    private final ChangesRelay cutting = new ChangesRelay(redis.host(), redis.port());

    private NearFleet fleet;
    private FleetMember changer;
    private List<FleetMember> disconnected;

    @Test
    void nobodyIsBehindForLongerThanTheBoundAndNoHerdFollows() throws Exception {
        List<String> uris = List.of(redis.uri(), losing.uri(), cutting.uri());
        try (redis;
                losing;
                cutting;
                NearFleet opened = new NearFleet(3, redis, NearFleet.lasting(STALENESS), uris::get)) {
            fleet = opened;
            changer = fleet.member(0);
            disconnected = List.of(fleet.member(1), fleet.member(2));
            fleet.warmUp(KEYS);
            fleet.awaitHits(disconnected);

            long began = System.nanoTime();
            readAndChange(BEFORE.plus(GAP).minusMillis(500));
            TimeUnit.NANOSECONDS.sleep(BEFORE.toNanos());
            losing.lose();
            cutting.refuse();
            assertWithinBound("gap");

            fleet.readOnce(changer, KEYS, 1); // so that each key is in the store
            TimeUnit.NANOSECONDS.sleep(began + BEFORE.plus(GAP).toNanos() - System.nanoTime());
            assertNoHerd();

            readAndChange(AFTER);
            assertWithinBound("afterwards");
        }
    }

    private void readAndChange(Duration length) {
        for (FleetMember member : fleet.members()) {
            NearFleet.read(member, KEYS, 2, length, PAUSE);
        }
        NearFleet.change(changer, "invalidate", KEYS, length, Duration.ofMillis(5));
    }

    private void assertWithinBound(String when) throws InterruptedException {
        List<Change> changes = fleet.changes(changer);
        assertThat(changes).hasSizeGreaterThan(10);
        for (int i = 0; i < fleet.members().size(); i++) {
            Readings readings = fleet.readings(fleet.member(i));
            Latencies behind = new Latencies();
            changes.forEach(change -> behind.record(TimeUnit.MICROSECONDS.toNanos(readings.behindMicros(change))));
            Message counts = fleet.counts(fleet.member(i));
            System.err.printf(
                    "%s, %s: %d changes, behind by %.1f ms at most, %.2f ms in the median; %s near hits, %s reads of Redis%n",
                    when,
                    List.of("the changer", "disconnected, not told", "disconnected, cut off")
                            .get(i),
                    changes.size(),
                    behind.millisAt(100),
                    behind.millisAt(50),
                    count(counts, "NEAR"),
                    count(counts, "STORE_FRESH") + count(counts, "STORE_ABSENT"));
            // By one clock, from the end of the change to the beginning of a call: the bound holds however busy the
            // machine is.
            assertThat(behind.millisAt(100)).as("%s: ms behind", when).isLessThan(STALENESS.toMillis());
        }
    }

    /** When they are notified again, only requested keys are read, each once. */
    private void assertNoHerd() throws InterruptedException {
        try (Jedis admin = fleet.admin()) {
            RedisCommands before = RedisCommands.parse(admin.info("commandstats"));
            losing.open();
            cutting.open();
            long began = System.nanoTime();
            long asked = fleet.awaitHits(disconnected);
            RedisCommands mended = RedisCommands.parse(admin.info("commandstats"));
            System.err.printf(
                    "hits again after %d ms, %d reads of Redis meanwhile%n",
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began), mended.since("mget", before));
            assertThat(mended.since("mget", before)).isLessThanOrEqualTo(asked);

            for (FleetMember member : disconnected) {
                fleet.readOnce(member, SOME_KEYS, TIMES);
                assertThat(count(fleet.counts(member), "NEAR")).isGreaterThanOrEqualTo((TIMES - 1L) * SOME_KEYS);
            }
            RedisCommands after = RedisCommands.parse(admin.info("commandstats"));
            System.err.printf(
                    "%d keys asked for %d times each: %d reads of Redis%n",
                    disconnected.size() * SOME_KEYS, TIMES, after.since("mget", mended));
            assertThat(after.since("mget", mended)).isLessThanOrEqualTo((long) disconnected.size() * SOME_KEYS);
        }
    }
}
