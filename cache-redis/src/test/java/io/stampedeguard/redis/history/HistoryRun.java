package io.stampedeguard.redis.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.history.CommonGround.Count;
import io.stampedeguard.testbed.fleet.MemberCommand;
import io.stampedeguard.testkit.HistoryChecker;
import io.stampedeguard.testkit.HistoryChecker.Violation;
import io.stampedeguard.testkit.Operation;
import io.stampedeguard.testkit.Operation.Ending;
import io.stampedeguard.testkit.Operation.Kind;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * What became of a run: so many calls, among which processes were stopped for longer than a lease lives, and killed.
 *
 * @param seed from which keys, calls, loads, kills and pauses were drawn; what the threads make of it, and where they
 *     hesitate, is different each time
 * @param history all calls
 * @param violations what the checker found
 * @param counts what was counted on the way
 * @param kills how many processes were killed
 * @param pauses how often a process was stopped
 */
record HistoryRun(
        long seed,
        List<Operation> history,
        List<Violation> violations,
        Map<Count, Long> counts,
        int kills,
        int pauses) {

    private static final int FEWEST_KILLS = 2;
    private static final int FEWEST_PAUSES = 4;

    /** Runs until there were so many calls that returned, some kills and some pauses, however long that takes. */
    static HistoryRun of(long operations, MemberCommand command, String redis, Path directory) throws Exception {
        long seed = Long.getLong("stampede.seed", new Random().nextLong());
        Random random = new Random(seed);
        int kills = 0;
        int pauses = 0;
        try (HistoryFleet fleet = new HistoryFleet(command, redis, directory, seed)) {
            CommonGround ground = fleet.ground();
            while (ground.counted(Count.OPERATIONS) < operations || kills < FEWEST_KILLS || pauses < FEWEST_PAUSES) {
                boolean killsAreMissing = pauses >= FEWEST_PAUSES && kills < FEWEST_KILLS;
                TimeUnit.MILLISECONDS.sleep(100 + random.nextInt(400));
                fleet.requireAllAlive();
                int index = random.nextInt(fleet.size());
                if (killsAreMissing || random.nextInt(4) == 0) {
                    fleet.replace(index);
                    kills++;
                } else {
                    fleet.pause(index, HistoryMember.LEASE.plusMillis(random.nextInt(300)));
                    pauses++;
                }
            }
            List<Operation> history = fleet.finish();
            HistoryRun run =
                    new HistoryRun(seed, history, HistoryChecker.check(history), counts(ground), kills, pauses);
            System.err.println("History: " + run);
            return run;
        }
    }

    private static Map<Count, Long> counts(CommonGround ground) {
        Map<Count, Long> counts = new EnumMap<>(Count.class);
        for (Count what : Count.values()) {
            counts.put(what, ground.counted(what));
        }
        return counts;
    }

    /** Fails if too little happened for the run to mean anything; shares of the calls, far below what is usual. */
    void assertWorthItsTime(long operations) {
        assertThat(calls(Ending.RETURNED)).as("%s: calls", this).isGreaterThanOrEqualTo(operations);
        assertThat(returned(Kind.GET)).as("%s: gets", this).isGreaterThan(operations / 2);
        assertThat(returned(Kind.INVALIDATION)).as("%s: invalidations", this).isGreaterThan(operations / 50);
        assertMoreThan(operations / 100, Count.STORED);
        assertMoreThan(operations / 1_000, Count.REFUSED);
        assertMoreThan(operations / 200, Count.HELD);
        assertMoreThan(operations / 200, Count.STALE);
    }

    private void assertMoreThan(long fewest, Count what) {
        assertThat(counts.get(what)).as("%s: %s", this, what).isGreaterThan(fewest);
    }

    private long returned(Kind kind) {
        return history.stream()
                .filter(call -> call.kind() == kind && call.ending() == Ending.RETURNED)
                .count();
    }

    private long calls(Ending ending) {
        return history.stream().filter(call -> call.ending() == ending).count();
    }

    /** Tells the seed, by which what was drawn can be drawn again ({@code -Dstampede.seed=…}), and what happened. */
    @Override
    public String toString() {
        return "seed %d: %d calls returned (%d gets, %d writes, %d invalidations, %d expiries), "
                        .formatted(
                                seed,
                                calls(Ending.RETURNED),
                                returned(Kind.GET),
                                returned(Kind.WRITE),
                                returned(Kind.INVALIDATION),
                                returned(Kind.EXPIRY))
                + "%d threw, %d unfinished, %d without the store, %s, %d kills, %d pauses, %d violations"
                        .formatted(
                                calls(Ending.THREW),
                                calls(Ending.UNFINISHED),
                                calls(Ending.WITHOUT_STORE),
                                counts,
                                kills,
                                pauses,
                                violations.size());
    }
}
