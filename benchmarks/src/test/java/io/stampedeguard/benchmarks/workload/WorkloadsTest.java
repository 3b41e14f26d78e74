package io.stampedeguard.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.benchmarks.crew.Answers;
import io.stampedeguard.benchmarks.crew.Ask;
import io.stampedeguard.benchmarks.crew.Crew;
import io.stampedeguard.benchmarks.crew.Round;
import io.stampedeguard.benchmarks.crew.Row;
import io.stampedeguard.benchmarks.crew.Series;
import io.stampedeguard.benchmarks.crew.Tally;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.testbed.fleet.FleetMember;
import java.io.DataOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

/** The workloads detect what they measure, with real processes on a real Redis, on a machine of any speed. */
@Order(1)
class WorkloadsTest {
    /** So long that hardly any caller is too late to take part in the stampede. */
    private static final Duration LONG = Duration.ofSeconds(1);

    private static final long HALF_A_LOAD_MICROS = LONG.toMillis() * 500;

    private static final int CALLERS = 256;
    private static final ColdStampede ONE = new ColdStampede("one", 1, CALLERS, LONG, List.of());
    private static final ColdStampede FOUR = new ColdStampede("four", 4, CALLERS / 4, LONG, List.of());
    private static final int MOST_ROUNDS = 100;

    private static Site site;

    @BeforeAll
    static void start() throws Exception {
        site = Site.start(Crew.Purpose.TRIED);
    }

    @AfterAll
    static void end() {
        site.close();
    }

    @Test
    void eachCallerLoadsWithoutAGuardAndEachProcessWithCaffeine() throws Exception {
        assertThatEachCallerLoads(1);
        assertThatEachCallerLoads(4);
        assertThat(figure("loads", ONE, "caffeine", "")).isEqualTo(1);
        assertThat(figure("loads", FOUR, "caffeine", "")).isEqualTo(4);
        assertThat(figure("loads", FOUR, "guarded", "")).isEqualTo(1);
    }

    /** All but those that come after the first load: no load begins during their calls, however long these take. */
    private static void assertThatEachCallerLoads(int processes) throws InterruptedException {
        Round round = new Round(Peers.named("cache-aside"));
        List<Integer> tickets = new ArrayList<>();
        for (FleetMember member : site.members(processes)) {
            tickets.add(round.begin(member, Ask.once(CALLERS / processes, "absent in " + processes, Row.taking(LONG))));
        }
        round.release();
        Answers answers = round.answers(tickets);
        long[] loadsBegan = answers.loadsBegan();
        long late = answers.reads()
                .filter(read -> Arrays.stream(loadsBegan)
                        .noneMatch(began -> read.began() <= began && began <= read.ended() - HALF_A_LOAD_MICROS))
                .count();

        assertThat(answers.loads()).isGreaterThan(1).isEqualTo(CALLERS - late);
    }

    @Test
    void manyColdKeysAreLoadedMoreThanOnceWithoutAGuard() throws Exception {
        ManyColdKeys workload = new ManyColdKeys();
        assertThat(workload.round(site, turn(workload, "cache-aside", "8x32")).values())
                .containsEntry("errors", 0L)
                .hasEntrySatisfying(
                        "mostLoadsOfAKey", most -> assertThat(most.longValue()).isBetween(2L, (long) CALLERS))
                .hasEntrySatisfying(
                        "loads", loads -> assertThat(loads.longValue()).isBetween(51L, 50L * CALLERS));
    }

    @Test
    void coldKeysCostOneOriginCallEachUnlessGathered() throws Exception {
        assertThat(figure("originCalls", new GatheredLoads(), "guarded", "single"))
                .isGreaterThanOrEqualTo(3_200);
        assertThat(figure("originCalls", new GatheredLoads(), "guarded-gathering", "gathered"))
                .isBetween(1L, 3_199L);
    }

    @Test
    void noEntryAnswersAfterAClear() throws Exception {
        for (String peer : List.of("guarded", "guarded-near", "cache-aside")) {
            assertThat(new ClearedCache()
                            .round(site, turn(new ClearedCache(), peer, "2x1"))
                            .values())
                    .as(peer)
                    .containsEntry("stillCached", 0L)
                    .containsEntry("errors", 0L)
                    .hasEntrySatisfying(
                            "longestWaitMs",
                            longest -> assertThat(longest.doubleValue()).isPositive());
        }
    }

    @Test
    void anUncontendedCacheAsideMissIsAGetAndASet() throws Exception {
        UncontendedMiss workload = new UncontendedMiss();
        for (String config : workload.configs()) {
            assertThat(workload.round(site, turn(workload, "cache-aside", config))
                            .values())
                    .containsEntry("errors", 0L)
                    .containsEntry("loadsPerKey", 1.0)
                    .hasEntrySatisfying(
                            "redisCommandsPerOp",
                            commands -> assertThat(commands.doubleValue()).isGreaterThanOrEqualTo(2))
                    .hasEntrySatisfying(
                            "roundTripsPerOp",
                            reads -> assertThat(reads.doubleValue()).isGreaterThanOrEqualTo(2))
                    .hasEntrySatisfying(
                            "cpuMicrosPerOp",
                            micros -> assertThat(micros.doubleValue()).isPositive());
        }
    }

    @Test
    void eachRequestOfATraceIsReplayedByOneProcess(@TempDir Path directory) throws Exception {
        Path trace = directory.resolve("a trace.xz");
        try (DataOutputStream keys =
                new DataOutputStream(new XZOutputStream(Files.newOutputStream(trace), new LZMA2Options()))) {
            for (int i = 0; i < 2_000; i++) {
                keys.writeInt(i % 50 - 25);
            }
        }
        TraceReplay workload = new TraceReplay();
        for (String peer : List.of("guarded", "cache-aside")) {
            new ClearedCache()
                    .round(site, turn(new ClearedCache(), peer, "before a replay")); // known to some processes only
            Workload.Turn turn =
                    new Workload.Turn(Peers.named(peer), "4x16", "replay-" + peer, true, second -> {}, trace);
            Map<String, Number> figures = workload.round(site, turn).values();

            assertThat(figures)
                    .containsEntry("gets", 2_000L)
                    .containsEntry("distinctKeys", 50L)
                    .containsEntry("errors", 0L);
            assertThat(figures.get("loads").longValue()).as(peer).isBetween(50L, peer.equals("guarded") ? 50L : 2_000L);
        }
    }

    @Test
    void aLateWriterWithoutAFenceIsFoundInBothVariants() throws Exception {
        assertThat(roundsUntilStale("plain")).isLessThanOrEqualTo(MOST_ROUNDS);
        assertThat(roundsUntilStale("quiet")).isLessThanOrEqualTo(MOST_ROUNDS);
    }

    @Test
    void noReadFindsAnOldRowAfterARemovalOrClear() throws Exception {
        ChangedRow workload = new ChangedRow();
        for (String peer : List.of("guarded", "cache-aside")) {
            for (String config : workload.configs()) {
                assertThat(workload.round(site, turn(workload, peer, config)).values())
                        .as("%s, %s", peer, config)
                        .containsEntry("changes", 20L)
                        .containsEntry("staleOwn", 0L)
                        .containsEntry("staleOther", 0L)
                        .containsEntry("errors", 0L)
                        .hasEntrySatisfying(
                                "loads", loads -> assertThat(loads.longValue()).isGreaterThanOrEqualTo(40));
            }
        }
    }

    @Test
    void anOldRowInAnotherProcessIsFound() throws Exception {
        ChangedRow workload = new ChangedRow();
        assertThat(workload.round(site, turn(workload, "caffeine", "remove")).values())
                .containsEntry("changes", 20L)
                .containsEntry("staleOwn", 0L)
                .containsEntry("staleOther", 20L);
        assertThat(workload.suits(Peers.named("caffeine"))).isFalse();
    }

    @Test
    @Tag("brief")
    void aHotKeyIsReloadedWhenItIsStale() throws Exception {
        isReloaded("guarded");
        isReloaded("cache-aside");
    }

    @Test
    @Tag("proof")
    void eachSuitablePeerReloadsAStaleHotKey() throws Exception {
        for (PeerKind peer : Peers.ALL) {
            if (new HotKey().suits(peer)) {
                isReloaded(peer.name());
            }
        }
    }

    private static void isReloaded(String peer) throws InterruptedException {
        long loads = 0;
        while (loads < 2) { // usually in the first round
            loads += figure("loads", new HotKey(), peer, "");
        }
        assertThat(loads).as(peer).isLessThanOrEqualTo(400);
    }

    @Test
    void hitsReachRedisUnlessTheyAreNear() throws Exception {
        RedisHit workload = new RedisHit();
        for (String peer : List.of("jedis", "guarded", "cache-aside")) {
            assertThat(workload.round(site, turn(workload, peer, "1x16")).values())
                    .containsEntry("errors", 0L)
                    .hasEntrySatisfying(
                            "redisCpuMicrosPerOp",
                            micros -> assertThat(micros.doubleValue()).as(peer).isPositive());
        }
        assertThat(workload.suits(Peers.named("guarded-near"))).isFalse();
        assertThat(workload.suits(Peers.named("caffeine"))).isFalse();
    }

    @Test
    void realKeysThatAFilterDoesNotKnowAreCounted() throws Exception {
        Round round =
                new Round(Peers.named("guarded-filter"), PeerOptions.usual().filtering(1_000));
        FleetMember building = site.crew().member(0);
        FleetMember asking = site.crew().member(1);
        site.emptyRedis();
        round.know(building, "known", 1_000);

        assertThat(round.countImpossible(asking, "known", 1_000)).hasValue(0);
        assertThat(round.countImpossible(asking, "forgotten", 1_000).orElseThrow())
                .isGreaterThan(900);
        int ticket = round.begin(asking, Series.existing("forgotten", 1_000).by(4));
        round.release();
        Tally tally = round.tally(List.of(ticket));
        assertThat(tally.absent()).isGreaterThan(900).isEqualTo(1_000 - tally.loads());
        assertThat(tally.failures()).isZero();
    }

    @Test
    void nonexistentKeysReachTheOriginOfThoseWithoutAFilter() throws Exception {
        NonexistentKeys workload = new NonexistentKeys();
        assertThat(workload.round(site, turn(workload, "cache-aside", "1x16")).values())
                .containsEntry("nonexistentKeys", 20_000L)
                .containsEntry("loads", 20_000L)
                .containsEntry("realDeclaredAbsent", 0L)
                .containsEntry("errors", 0L);
        assertThat(workload.suits(Peers.named("caffeine"))).isFalse();
    }

    private static Workload.Turn turn(Workload workload, String peer, String config) {
        return new Workload.Turn(Peers.named(peer), config, workload.name() + "-" + config, true);
    }

    private static int roundsUntilStale(String variant) throws InterruptedException {
        LateWriter workload = new LateWriter();
        int rounds = 1;
        while (rounds <= MOST_ROUNDS && figure("staleRounds", workload, "cache-aside", variant + rounds) == 0) {
            rounds++;
        }
        return rounds;
    }

    private static long figure(String name, Workload workload, String peer, String config) throws InterruptedException {
        String key = workload.name() + "-" + config;
        Workload.Turn turn = new Workload.Turn(Peers.named(peer), config.replaceAll("[0-9]", ""), key, true);
        Number figure = workload.round(site, turn).values().get(name);
        assertThat(figure).as(name).isNotNull();
        return figure.longValue();
    }
}
