package io.stampedeguard.redis.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.chaos.ChaosStage.Remains;
import io.stampedeguard.redis.chaos.ChaosTimeline.Made;
import io.stampedeguard.redis.chaos.FaultPlan.Planned;
import io.stampedeguard.redis.history.CommonGround;
import io.stampedeguard.redis.history.Ticks;
import io.stampedeguard.testbed.fleet.WallClock;
import io.stampedeguard.testkit.HistoryChecker;
import io.stampedeguard.testkit.HistoryChecker.Violation;
import io.stampedeguard.testkit.Operation;
import io.stampedeguard.testkit.Operation.Ending;
import io.stampedeguard.testkit.Operation.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * P2 and P6 while faults of Redis, the database, processes, and connections follow each other: 4 processes of 32 callers each. No
 * {@code get}, {@code lookup}, {@code getAsync}, {@code getAll}, or {@code getAllAsync} returns a value that was invalidated before, by
 * itself, with all others, or with those of its tag; no {@code refresh} returns what was read before it began; no exception other than
 * the promised ones reaches a caller; no change remains queued, and after {@code close()} no thread and no connection. The run leaves
 * its timeline as {@code timeline.jsonl} and {@code timeline.svg} in {@code target/chaos}.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES) // for a run that hangs
final class ChaosTest {
    private static final int FEWEST_OF_EACH_KIND = 100;
    private static final int FEWEST_OF_ALL_KEYS = 5;
    private static final int FEWEST_OF_TAGS = 5;
    private static final String OF_A_TAG = Kind.INVALIDATION + " of a tag";
    private static final String OF_ALL_KEYS = Kind.INVALIDATION + " of all keys";
    private static final int CALM_IN_THE_END = 10; // one in so many parts of the run
    private static final long BETWEEN_COUNTS_MICROS = TimeUnit.SECONDS.toMicros(1);

    @Test
    @Tag("proof")
    void noPromiseIsBrokenWhileFaultsFollowEachOther(@TempDir Path directory) throws Exception {
        assertNoPromiseIsBroken(Duration.ofSeconds(20), directory, Path.of("target/chaos/short"));
    }

    @Test
    @Tag("chaos")
    void noPromiseIsBrokenWhileFaultsFollowEachOtherForAMinute(@TempDir Path directory) throws Exception {
        assertNoPromiseIsBroken(Duration.ofMinutes(1), directory, Path.of("target/chaos"));
    }

    private static void assertNoPromiseIsBroken(Duration length, Path directory, Path into) throws Exception {
        long seed = Long.getLong("stampede.seed", new Random().nextLong());
        FaultPlan plan = FaultPlan.of(seed, length, ChaosStage.PROCESSES);
        System.err.println("Chaos: -Dstampede.seed=" + seed + ", " + plan.faults());
        CommonGround ground = CommonGround.open(directory.resolve("ground"), 0);
        try (ChaosStage stage = new ChaosStage(directory, seed)) {
            Ticks ticks = new Ticks(ChaosMember.NEAR.maxStaleness(), ground::nextPlace);
            List<Made> made;
            Remains remains;
            try (ticks) {
                made = run(stage, plan);
                remains = stage.end();
            }
            ChaosTimeline timeline =
                    ChaosTimeline.of(seed, (int) lengthOf(plan, made).toSeconds(), stage.reports(), made);
            Files.createDirectories(into);
            Files.write(into.resolve("timeline.jsonl"), timeline.jsonLines());
            Files.writeString(into.resolve("timeline.svg"), ChaosPicture.of(timeline));

            List<Operation> history = stage.history();
            List<Violation> violations = HistoryChecker.check(history, ticks);
            Map<String, Long> counts = counts(history);
            System.err.println("Chaos: " + counts + ", " + violations.size() + " violations");
            assertThat(violations).as("seed %d: %s", seed, counts).isEmpty();
            assertThat(remains).as("seed %d", seed).isEqualTo(Remains.NOTHING);
        }
    }

    /** Makes the planned faults; one that takes longer than planned delays those after it. Ends when enough was called. */
    private static List<Made> run(ChaosStage stage, FaultPlan plan) throws Exception {
        long begin = WallClock.micros();
        stage.begin(begin);
        List<Made> made = new ArrayList<>();
        long late = 0;
        for (Planned planned : plan.faults()) {
            WallClock.awaitMicros(begin + late + micros(planned.begin()));
            long at = WallClock.micros();
            Duration length = planned.end().minus(planned.begin());
            stage.make(planned, at + micros(length));
            made.add(new Made(planned.fault(), since(begin, at), since(begin, WallClock.micros())));
            late = Math.max(0, WallClock.micros() - begin - micros(planned.end()));
        }
        WallClock.awaitMicros(begin + micros(lengthOf(plan, made)));
        while (!isEnough(stage.history())) {
            WallClock.awaitMicros(WallClock.micros() + BETWEEN_COUNTS_MICROS);
        }
        return made;
    }

    /** A busy machine calls less in the same time, and few calls prove little. */
    private static boolean isEnough(List<Operation> history) {
        Map<String, Long> counts = counts(history);
        return Stream.of(Kind.GET, Kind.GET_ASYNC, Kind.GET_ALL, Kind.GET_ALL_ASYNC, Kind.INVALIDATION, Kind.PUT)
                        .allMatch(kind -> counts.getOrDefault(kind + " " + Ending.RETURNED, 0L) > FEWEST_OF_EACH_KIND)
                && counts.getOrDefault(OF_ALL_KEYS, 0L) > FEWEST_OF_ALL_KEYS
                && counts.getOrDefault(OF_A_TAG, 0L) > FEWEST_OF_TAGS;
    }

    /** Returns the planned length; more if the faults were late, as there is a time without a fault in the end. */
    private static Duration lengthOf(FaultPlan plan, List<Made> made) {
        Duration late = made.get(made.size() - 1).end().plus(plan.length().dividedBy(CALM_IN_THE_END));
        return late.compareTo(plan.length()) > 0 ? late : plan.length();
    }

    private static long micros(Duration length) {
        return TimeUnit.NANOSECONDS.toMicros(length.toNanos());
    }

    private static Duration since(long begin, long micros) {
        return Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(micros - begin));
    }

    /** Counts calls; one of several keys counts once. */
    private static Map<String, Long> counts(List<Operation> history) {
        Map<String, Long> counts = new TreeMap<>();
        history.stream()
                .collect(Collectors.groupingBy(
                        call -> List.of(call.caller(), call.kind(), call.ending(), call.begin()),
                        Collectors.counting()))
                .forEach((call, keys) -> {
                    counts.merge(call.get(1) + " " + call.get(2), 1L, Long::sum);
                    boolean isInvalidation = call.get(1) == Kind.INVALIDATION && call.get(2) == Ending.RETURNED;
                    if (isInvalidation && keys >= ChaosMember.KEYS / 2) {
                        counts.merge(OF_ALL_KEYS, 1L, Long::sum);
                    } else if (isInvalidation && keys == ChaosMember.KEYS_OF_A_TAG) {
                        counts.merge(OF_A_TAG, 1L, Long::sum);
                    }
                });
        return counts;
    }
}
