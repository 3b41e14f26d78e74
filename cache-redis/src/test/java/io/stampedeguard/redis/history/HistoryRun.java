package io.stampedeguard.redis.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.history.CommonGround.Count;
import io.stampedeguard.testbed.fleet.MemberCommand;
import io.stampedeguard.testkit.HistoryChecker;
import io.stampedeguard.testkit.HistoryChecker.Violation;
import io.stampedeguard.testkit.Operation;
import io.stampedeguard.testkit.Operation.Ending;
import io.stampedeguard.testkit.Operation.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * The result of a run: a number of calls, during which there were {@link Disturbances}.
 *
 * @param seed of the random keys, calls, loads, kills, and pauses; the order in which the threads execute them, and
 *     where they hesitate, is different each time
 * @param history all calls
 * @param violations found by the checker
 * @param lag how far near caches were behind
 * @param counts the counts of the run
 * @param disturbances the disturbances of the processes
 */
record HistoryRun(
        long seed,
        List<Operation> history,
        List<Violation> violations,
        NearLag lag,
        Map<Count, Long> counts,
        String disturbances) {
    private static final int MOST_RUNS = 40;
    private static final Set<Ending> HAS_RETURNED = Set.of(Ending.RETURNED, Ending.NEAR, Ending.BY_ITS_OWN_SNAPSHOT);

    /**
     * Runs until enough calls have returned, near caches, if there are any, have answered enough of them, or else enough of
     * them were of all entries, and there were enough disturbances, however long that takes.
     */
    static HistoryRun of(
            long operations,
            NearCaches nearCaches,
            Trouble trouble,
            MemberCommand command,
            HistoryRedis redis,
            Path directory)
            throws Exception {
        long seed = Long.getLong("stampede.seed", new Random().nextLong());
        Random random = new Random(seed);
        try (HistoryFleet fleet = new HistoryFleet(command, nearCaches, trouble, redis.uri(), directory, seed)) {
            CommonGround ground = fleet.ground();
            Ticks ticks = new Ticks(NearCaches.OPTIONS.maxStaleness(), ground::nextPlace);
            Disturbances disturbances = new Disturbances(trouble, fleet, redis, random);
            try (ticks) {
                while (!isEnough(ground, operations, nearCaches) || !disturbances.areEnough()) {
                    disturbances.another();
                }
                fleet.end();
            }
            List<Operation> history = fleet.history();
            HistoryRun run = new HistoryRun(
                    seed,
                    history,
                    HistoryChecker.check(history, ticks, disturbances.losses()),
                    NearLag.of(history, ticks),
                    counts(ground),
                    disturbances.toString());
            System.err.println("History: " + run);
            return run;
        }
    }

    /** A run whose files are in a directory. */
    interface Course {
        HistoryRun run(Path directory) throws Exception;
    }

    /**
     * Searches for a violation, in one run after the other: whether a course contains what exposes a broken part is a matter of
     * chance. Usually the first run does, and the last one is far away.
     *
     * @return the first run with a violation, or the last one
     */
    static HistoryRun violated(Path directory, Course course) throws Exception {
        HistoryRun run = course.run(Files.createDirectory(directory.resolve("run-1")));
        for (int number = 2; run.violations().isEmpty() && number <= MOST_RUNS; number++) {
            run = course.run(Files.createDirectory(directory.resolve("run-" + number)));
        }
        return run;
    }

    private static boolean isEnough(CommonGround ground, long operations, NearCaches nearCaches) {
        return ground.counted(Count.OPERATIONS) >= operations
                && (nearCaches == NearCaches.NONE
                        ? ground.counted(Count.OF_ALL) >= fewestOfAll(operations)
                        : ground.counted(Count.NEAR) >= operations / 3);
    }

    /** So few that a brief run would often have fewer, if it did not go on until there are enough. */
    private static long fewestOfAll(long operations) {
        return operations / 2_500;
    }

    private static Map<Count, Long> counts(CommonGround ground) {
        Map<Count, Long> counts = new EnumMap<>(Count.class);
        for (Count what : Count.values()) {
            counts.put(what, ground.counted(what));
        }
        return counts;
    }

    /** Fails if too little happened for a meaningful run; the limits are shares of the calls, far below the usual ones. */
    void assertWorthItsTime(long operations) {
        assertThat(returned(Kind.GET)).as("%s: gets", this).isGreaterThan(operations / 2);
        assertThat(returned(Kind.INVALIDATION)).as("%s: invalidations", this).isGreaterThan(operations / 50);
        assertMoreThan(operations, Count.OPERATIONS);
        assertMoreThan(operations / 100, Count.STORED);
        assertMoreThan(operations / 1_000, Count.FENCED);
        assertMoreThan(operations / 200, Count.HELD);
        assertMoreThan(operations / 200, Count.STALE);
        assertMoreThan(operations / 1_000, Count.BY_HAND);
        assertMoreThan(fewestOfAll(operations), Count.OF_ALL);
        assertMoreThan(operations / 1_000, Count.OF_TAG);
        assertMoreThan(operations / 1_000, Count.OUTDATED);
    }

    /** The same for a run in which Redis ends. */
    void assertOutagesWorthTheirTime(long operations) {
        assertMoreThan(operations, Count.OPERATIONS);
        assertThat(returned(Kind.INVALIDATION)).as("%s: invalidations", this).isGreaterThan(operations / 100);
        assertMoreThan(fewestOfAll(operations), Count.OF_ALL);
        assertThat(calls(Ending.WITHOUT_STORE))
                .as("%s: without the store", this)
                .isPositive();
    }

    /** The same for a run with puts that arrive late. */
    void assertLatePutsWorthTheirTime(long operations) {
        assertMoreThan(operations, Count.OPERATIONS);
        assertThat(returned(Kind.INVALIDATION)).as("%s: invalidations", this).isGreaterThan(operations / 100);
        assertThat(returned(Kind.PUT)).as("%s: puts", this).isGreaterThan(operations / 200);
    }

    /**
     * The same for a run with near caches. How many of their answers were behind the shared store depends on the speed of
     * the machine, and is only printed: that such answers are examined is shown by the runs with broken parts.
     */
    void assertNearCachesWorthTheirTime(long operations) {
        assertMoreThan(operations, Count.OPERATIONS);
        assertMoreThan(operations / 3, Count.NEAR);
        assertThat(returned(Kind.INVALIDATION)).as("%s: invalidations", this).isGreaterThan(operations / 100);
    }

    private void assertMoreThan(long fewest, Count what) {
        assertThat(counts.get(what)).as("%s: %s", this, what).isGreaterThanOrEqualTo(fewest);
    }

    private long returned(Kind kind) {
        return history.stream()
                .filter(call -> call.kind() == kind)
                .filter(call -> HAS_RETURNED.contains(call.ending()))
                .count();
    }

    private long calls(Ending ending) {
        return history.stream().filter(call -> call.ending() == ending).count();
    }

    /** Returns the seed, which repeats the random choices ({@code -Dstampede.seed=…}), and what happened. */
    @Override
    public String toString() {
        return "seed %d: %d calls returned (%d gets, %d writes, %d invalidations, %d puts, %d expiries), "
                        .formatted(
                                seed,
                                HAS_RETURNED.stream().mapToLong(this::calls).sum(),
                                returned(Kind.GET),
                                returned(Kind.WRITE),
                                returned(Kind.INVALIDATION),
                                returned(Kind.PUT),
                                returned(Kind.EXPIRY))
                + "%d threw, %d unfinished, %d without the store, %s, %s, %s, %d violations"
                        .formatted(
                                calls(Ending.THREW),
                                calls(Ending.UNFINISHED),
                                calls(Ending.WITHOUT_STORE),
                                counts,
                                lag,
                                disturbances,
                                violations.size());
    }
}
