package io.stampedeguard.filter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.history.BrokenScript;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.fleet.Fleet;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.Message;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import redis.clients.jedis.Jedis;

/** One filter and many processes: no process ever declares an announced row absent. */
@Timeout(value = 10, unit = TimeUnit.MINUTES) // for a fleet that hangs
@Order(1)
@Execution(ExecutionMode.CONCURRENT) // each test has its own servers, and waits for them
class FilterFleetTest {
    private static final int MEMBERS = 3;
    private static final int THREADS = 2;
    private static final int OPERATIONS = 3_000;
    private static final int DISTURBANCES = 12;
    private static final int STOPS = 15;
    private static final int REBUILDS_OF_EACH = 4;
    private static final int EXPECTED_KEYS = 100_000;

    private final long seed = Long.getLong("stampede.seed", new Random().nextLong());
    private final Random random = new Random(seed);

    @Test
    @Tag("brief")
    void whatOneProcessAnnouncesAnotherFindsAtOnce() throws Exception {
        assertFoundAtOnce(1_000);
    }

    @Test
    @Tag("proof")
    void whatOneProcessAnnouncesAnotherFindsAtOnceAHundredThousandTimes() throws Exception {
        assertFoundAtOnce(25_000);
    }

    /** Announces a number of rows on each of four lanes, one after another; another process looks up each at once. */
    private static void assertFoundAtOnce(int rows) throws Exception {
        int lanes = 4;
        try (FilterFleet fleet = new FilterFleet(lanes * rows)) {
            Fleet members = fleet.join(2);
            FleetMember announcing = members.members().get(0);
            FleetMember looking = members.members().get(1);
            announcing.send(Message.of("rebuild"));
            FilterFleet.hear(announcing, "rebuilt");
            looking.send(Message.of("look").with("lanes", lanes));
            long port = FilterFleet.hear(looking, "listening").number("port");

            announcing.send(Message.of("announce")
                    .with("lanes", lanes)
                    .with("rows", rows)
                    .with("port", port));

            assertThat(FilterFleet.hear(announcing, "announced").number("missed"))
                    .isZero();
            FilterFleet.hear(looking, "looked");
            assertMostNonexistentAreAbsent(fleet);
        }
    }

    @Test
    void noRowIsDeclaredAbsentWhileAddsLookupsAndRebuildsInterleave() throws Exception {
        try (FilterFleet fleet = new FilterFleet(EXPECTED_KEYS)) {
            Fleet members = traffic(fleet);
            rebuildOften(members);
            members.send(Message.of("end"));
            assertNothingMissed(members, OPERATIONS * THREADS);

            assertAllThereAndFilterSharp(fleet);
        }
    }

    private void rebuildOften(Fleet members) throws InterruptedException {
        members.send(Message.of("rebuildForEver").with("seed", random.nextLong()));
        for (int rebuild = 0; rebuild < REBUILDS_OF_EACH; rebuild++) {
            for (FleetMember member : members.members()) {
                FilterFleet.hear(member, "rebuilt");
            }
        }
    }

    @Test
    @Tag("proof")
    void noRowIsDeclaredAbsentDespiteKilledRebuildsAndLostFilters() throws Exception {
        try (FilterFleet fleet = new FilterFleet(EXPECTED_KEYS)) {
            Fleet members = traffic(fleet);
            for (int i = 0; i < DISTURBANCES; i++) {
                Fleet rebuilding = rebuilding(fleet);
                FilterFleet.hear(rebuilding.members().get(0), "rebuilt");
                TimeUnit.MILLISECONDS.sleep(random.nextInt(200));
                rebuilding.members().get(0).kill();
                disturb(fleet, i);
            }
            rebuilding(fleet);
            members.send(Message.of("end"));
            assertNothingMissed(members, OPERATIONS * THREADS / 2);
            assertAllThereAndFilterSharp(fleet);
        }
    }

    /** A process is stopped (SIGSTOP) anywhere in its rebuild, another one rebuilds the filter, and the first one goes on. */
    @Test
    @Tag("proof")
    void stoppedRebuildResumedAfterAnotherPutsNothingOldIntoForce() throws Exception {
        try (FilterFleet fleet = new FilterFleet(EXPECTED_KEYS);
                RedisKeyFilter<Long> filter = fleet.filter()) {
            LongStream.rangeClosed(1, 1_000).forEach(fleet.rows()::insert);
            FleetMember member = rebuilding(fleet).members().get(0);
            for (long row = 1_001; row <= 1_000 + STOPS; row++) {
                FilterFleet.hear(member, "rebuilt");
                TimeUnit.MILLISECONDS.sleep(random.nextInt(300));
                member.stop();
                fleet.rows().insert(row);
                filter.add(row);
                filter.rebuild(fleet.rows()::all);
                member.cont();
                FilterFleet.hear(member, "rebuilt"); // perhaps before it was stopped
                assertAllThere(fleet);
                FilterFleet.hear(member, "rebuilt");
                assertAllThere(fleet);
            }
        }
    }

    private void assertAllThere(FilterFleet fleet) {
        try (RedisKeyFilter<Long> another = fleet.filter()) {
            assertThat(another.definitelyAbsent(fleet.rows().all().toList()))
                    .as("%s", this)
                    .isEmpty();
        }
    }

    private Fleet rebuilding(FilterFleet fleet) throws InterruptedException {
        Fleet rebuilding = fleet.join(1);
        rebuilding.send(Message.of("rebuildForEver").with("seed", random.nextLong()));
        return rebuilding;
    }

    /** Redis is flushed, evicts a key, or dies and restarts empty. */
    private void disturb(FilterFleet fleet, int number) throws InterruptedException {
        try (Jedis admin = PlainRedis.admin(fleet.redis().host(), fleet.redis().port())) {
            switch (number % 4) {
                case 0 -> admin.flushAll();
                case 1 -> {
                    for (int i = 0; i < 5; i++) {
                        admin.del(admin.randomKey());
                    }
                }
                case 2 -> TimeUnit.MILLISECONDS.sleep(random.nextInt(50));
                default -> fleet.redis().restart();
            }
        }
    }

    @Test
    @Tag("proof")
    void addThatForgetsTheNextGenerationIsFoundOut(@TempDir Path front) throws Exception {
        BrokenScript.write(
                front,
                RedisKeyFilter.class,
                "add.lua",
                "if building and isOurs\\(building\\) and not add\\(other, itsBlocks, itsBits\\)",
                "if false");
        assertFoundOut(front);
    }

    @Test
    @Tag("proof")
    void switchThatForgetsWhatWasAddedMeanwhileIsFoundOut(@TempDir Path front) throws Exception {
        BrokenScript.write(
                front,
                RedisKeyFilter.class,
                "commit.lua",
                "'OR', bitmap, bitmap, KEYS\\[4\\]",
                "'OR', bitmap, KEYS[4], KEYS[4]");
        assertFoundOut(front);
    }

    private void assertFoundOut(Path front) throws Exception {
        try (FilterFleet fleet = FilterFleet.broken(EXPECTED_KEYS, front)) {
            Fleet members = traffic(fleet);
            members.send(Message.of("end"));
            members.send(Message.of("rebuildForEver").with("seed", random.nextLong()));

            assertThat(members.collect("done", FilterFleet.PATIENCE))
                    .as("%s", this)
                    .anySatisfy(done -> assertThat(done.text("missed")).isNotEmpty());
        }
    }

    @Test
    void killedRebuildExpiresAndLeavesTheOldFilterInForce() throws Exception {
        try (FilterFleet fleet = new FilterFleet(EXPECTED_KEYS);
                Jedis admin =
                        PlainRedis.admin(fleet.redis().host(), fleet.redis().port())) {
            LongStream.rangeClosed(1, 1_000).forEach(fleet.rows()::insert);
            FleetMember member = fleet.join(1).members().get(0);
            member.send(Message.of("rebuild"));
            FilterFleet.hear(member, "rebuilt");
            assertThat(admin.keys("*")).hasSize(64);
            member.send(Message.of("getStuck").with("after", 500));
            FilterFleet.hear(member, "stuck");
            awaitRenewals(admin, 32); // it lives as long as its process
            assertThat(admin.keys("*")).hasSize(96);

            member.kill();

            try (RedisKeyFilter<Long> filter = fleet.filter()) {
                filter.add(5_000L);
                Awaitility.await()
                        .dontCatchUncaughtExceptions()
                        .atMost(FilterFleet.PATIENCE)
                        .untilAsserted(() -> assertThat(admin.keys("*")).hasSize(64));
                filter.add(5_001L);
                assertThat(filter.definitelyAbsent(
                                LongStream.rangeClosed(1, 1_000).boxed().toList()))
                        .isEmpty();
                assertThat(filter.definitelyAbsent(List.of(5_000L, 5_001L))).isEmpty();
                assertMostNonexistentAreAbsent(fleet);
                assertThat(admin.hgetAll("{fleet:filter:00}:state")).containsKey("gen");
            }
        }
    }

    /** Waits until each key that expires, of which there are a number, has been renewed. */
    private static void awaitRenewals(Jedis admin, int number) {
        Map<String, Long> before = admin.keys("*").stream()
                .filter(key -> admin.pttl(key) >= 0)
                .collect(Collectors.toMap(key -> key, admin::pttl));
        assertThat(before).hasSize(number);
        Awaitility.await()
                .dontCatchUncaughtExceptions()
                .atMost(FilterFleet.PATIENCE)
                .until(() -> {
                    before.entrySet().removeIf(key -> {
                        long now = admin.pttl(key.getKey());
                        return now > key.setValue(now);
                    });
                    return before.isEmpty();
                });
    }

    /** The number of processes that take part. */
    private Fleet traffic(FilterFleet fleet) throws InterruptedException {
        Fleet members = fleet.join(MEMBERS);
        for (FleetMember member : members.members()) {
            member.send(Message.of("traffic")
                    .with("seed", random.nextLong())
                    .with("threads", THREADS)
                    .with("operations", OPERATIONS));
        }
        return members;
    }

    /** Waits until the traffic has ended. */
    private void assertNothingMissed(Fleet members, long fewestLooks) throws InterruptedException {
        for (Message done : members.collect("done", FilterFleet.PATIENCE)) {
            assertThat(done.text("missed")).as("rows declared absent, %s", this).isEmpty();
            assertThat(done.number("looks")).as("looks, %s", done.fields()).isGreaterThan(fewestLooks);
            assertThat(done.number("absent")).as("%s, %s", done.fields(), this).isPositive();
        }
    }

    /** Waits until the filter is sharp; no row may be missed meanwhile. */
    private void assertAllThereAndFilterSharp(FilterFleet fleet) {
        Set<Long> missed = new TreeSet<>();
        try (RedisKeyFilter<Long> filter = fleet.filter()) {
            Awaitility.await()
                    .dontCatchUncaughtExceptions()
                    .atMost(FilterFleet.PATIENCE)
                    .ignoreExceptionsInstanceOf(StoreException.class)
                    .untilAsserted(() -> {
                        missed.addAll(filter.definitelyAbsent(fleet.rows().announced(0, Integer.MAX_VALUE)));
                        assertMostNonexistentAreAbsent(fleet);
                    });
        }
        assertThat(missed).as("rows declared absent, %s", this).isEmpty();
    }

    /** Otherwise nothing was proven: a filter that answers "maybe" for all keys is never wrong. */
    private static void assertMostNonexistentAreAbsent(FilterFleet fleet) {
        try (RedisKeyFilter<Long> filter = fleet.filter()) {
            List<Long> nonexistent =
                    LongStream.rangeClosed(1, 1_000).map(row -> -row).boxed().toList();
            assertThat(filter.definitelyAbsent(nonexistent)).hasSizeGreaterThan(950);
        }
    }

    /** Returns how to repeat the random choices. */
    @Override
    public String toString() {
        return "-Dstampede.seed=" + seed;
    }
}
