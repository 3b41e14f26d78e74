package io.stampedeguard.demo.serve.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stampedeguard.demo.serve.figures.Count;
import io.stampedeguard.demo.serve.figures.Sample;
import io.stampedeguard.demo.serve.figures.Side;
import io.stampedeguard.demo.serve.figures.Tally;
import io.stampedeguard.demo.serve.member.Load;
import io.stampedeguard.demo.serve.member.Orders;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The stage behind the page, without a page: processes that are replaced while Redis is down. */
@Tag("proof")
@Order(2)
class LiveStageTest {
    private static final Duration LATER = Duration.ofMinutes(2);
    private static final int MEMBERS = Load.PROCESSES * Side.values().length;

    private static final long ATTACKED_MILLIS = 3_000;

    private static LiveStage stage;

    @BeforeAll
    static void start() throws Exception {
        stage = LiveStage.start();
    }

    @AfterAll
    static void end() {
        if (stage != null) {
            stage.close();
        }
    }

    @Test
    void slownessSetWhileAProcessConnectsAppliesToItToo() throws Exception {
        stage.stopRedis();
        replaceAll();

        stage.makeSlow(true);
        stage.startRedis();
        awaitAll();

        // Redis is empty, so each process queries.
        stage.sample();
        Map<Side, Double> longest = new EnumMap<>(Side.class);
        await().atMost(LATER).pollInterval(Duration.ofSeconds(1)).until(() -> {
            Sample sample = stage.sample();
            Arrays.stream(Side.values())
                    .forEach(side -> longest.merge(side, sample.of(side).longestMillis(), Math::max));
            return longest.values().stream().allMatch(millis -> millis >= Load.SLOW_WORK_MILLIS);
        });
        stage.makeSlow(false);
    }

    @Test
    void whoWaitsForRedisIsNotTakenForDead() throws Exception {
        stage.stopRedis();
        replaceAll();
        Set<Long> waiting = childrensIds();

        Thread.sleep(Seat.SILENT_AT_MOST.plusSeconds(2).toMillis());

        assertThat(childrensIds()).isEqualTo(waiting);
        stage.startRedis();
        awaitAll();
        assertThat(childrensIds()).containsAll(waiting);
    }

    @Test
    void theFilterIsBuiltAgainIfItsBuilderIsKilled() throws Exception {
        stage.stopRedis();
        stage.startRedis();
        stage.sample();
        for (int i = 0; i < Load.PROCESSES; i++) {
            stage.killOneOfEach();
        }

        awaitAll();
        await().atMost(LATER).pollInterval(Duration.ofSeconds(1)).untilAsserted(() -> {
            long naive = nonexistent(stage.sample(), Side.NAIVE);
            long guarded = nonexistent(stage.sample(), Side.GUARDED);
            stage.tellAll(Orders.sendNonexistentKeys(ATTACKED_MILLIS));
            TimeUnit.MILLISECONDS.sleep(ATTACKED_MILLIS);
            Sample after = stage.sample();
            long reached = nonexistent(after, Side.NAIVE) - naive;
            assertThat(reached).isGreaterThan(20);
            assertThat(nonexistent(after, Side.GUARDED) - guarded).isLessThan(reached / 4);
        });
    }

    @Test
    void whoIsKilledWhileItLoadsIsRelievedByAnother() throws Exception {
        awaitAll();
        Takeover ofGuarded = stage.killOneOfEachWhileItLoads().get(Side.GUARDED);

        await().atMost(LATER).until(() -> ofGuarded.by().isPresent());
        assertThat(ofGuarded.by().orElseThrow().process()).matches("guarded-[12]");
        awaitAll();
    }

    @Test
    void aNearCacheIsSwitchedWhileCallersUseIt() throws Exception {
        awaitAll();
        long failed = stage.fleet(Side.GUARDED).total().get(Count.FAILURES);
        stage.useNear(false);
        await().atMost(LATER).pollInterval(Duration.ofSeconds(1)).until(() -> {
            Tally counted = stage.sample().of(Side.GUARDED).counted();
            return counted.get(Count.CALLS) > 0 && counted.get(Count.NEAR) == 0;
        });

        stage.useNear(true);

        await().atMost(LATER)
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> stage.sample().of(Side.GUARDED).counted().get(Count.NEAR) > 0);
        assertThat(stage.fleet(Side.GUARDED).total().get(Count.FAILURES)).isEqualTo(failed);
    }

    private static long nonexistent(Sample sample, Side side) {
        return sample.of(side).total().get(Count.NONEXISTENT_QUERIES);
    }

    /** Kills all, and waits until their replacements have read their configuration, and wait for Redis, which is down. */
    private static void replaceAll() {
        Set<Long> killed = childrensIds();
        for (int i = 0; i < Load.PROCESSES; i++) {
            assertThat(stage.killOneOfEach()).containsExactly(Side.values());
        }
        await().atMost(LATER)
                .until(() -> Arrays.stream(Side.values())
                        .allMatch(side -> stage.fleet(side).waiting() == Load.PROCESSES));
        assertThat(childrensIds()).hasSize(MEMBERS).doesNotContainAnyElementsOf(killed);
    }

    private static void awaitAll() {
        await().atMost(LATER)
                .until(() -> Arrays.stream(Side.values())
                        .allMatch(side -> stage.fleet(side).processes() == Load.PROCESSES));
    }

    /** No other children of this JVM have this option; their main class comes too late in a long command line. */
    private static Set<Long> childrensIds() {
        return ProcessHandle.current()
                .children()
                .filter(child -> child.info().commandLine().orElse("").contains("defaultLogLevel=off"))
                .map(ProcessHandle::pid)
                .collect(Collectors.toSet());
    }
}
