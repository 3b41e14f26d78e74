package io.stampedeguard.benchmarks.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.program.ProgramJvm;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Short runs of all workloads, with real processes on a real Redis. */
@Order(2)
@Execution(ExecutionMode.CONCURRENT) // each test waits for a program with processes of its own
class BenchTest {
    private static final int CALLERS = 256;

    /** The number of lines per workload, set-up, and peer. */
    private static final Map<String, Long> USUAL = Map.ofEntries(
            Map.entry("W1 1x1-Long guarded-near", 1L),
            Map.entry("W1 1x1-Long caffeine", 1L),
            Map.entry("W1 1x2-Long guarded-near", 1L),
            Map.entry("W1 1x2-Long caffeine", 1L),
            Map.entry("W1 1x1-String guarded-near", 1L),
            Map.entry("W1 1x1-String caffeine", 1L),
            Map.entry("W1 1x2-String guarded-near", 1L),
            Map.entry("W1 1x2-String caffeine", 1L),
            Map.entry("W2 1x1 guarded", 1L),
            Map.entry("W2 1x1 jedis", 1L),
            Map.entry("W2 1x16 guarded", 1L),
            Map.entry("W2 1x16 jedis", 1L),
            Map.entry("W2 1x64 guarded", 1L),
            Map.entry("W2 1x64 jedis", 1L),
            Map.entry("W2 1x1-getAll guarded", 1L),
            Map.entry("W2 1x1-getAll jedis", 1L),
            Map.entry("W3 1x256 guarded", 2L),
            Map.entry("W3 1x256 cache-aside", 2L),
            Map.entry("W3 1x256 caffeine", 2L),
            Map.entry("W4 4x64 guarded", 2L),
            Map.entry("W4 4x64 cache-aside", 2L),
            Map.entry("W4 4x64 caffeine", 2L),
            Map.entry("W4L 8x125 guarded", 2L),
            Map.entry("W4L 8x125 cache-aside", 2L),
            Map.entry("W4L 8x125 caffeine", 2L),
            Map.entry("W5 4x16 guarded", 1L),
            Map.entry("W5 4x16 guarded-near", 1L),
            Map.entry("W5 4x16 cache-aside", 1L),
            Map.entry("W5 4x16 caffeine", 1L),
            Map.entry("W6 3x4 guarded", 1L),
            Map.entry("W6 3x4 cache-aside", 1L),
            Map.entry("W7 1x64 guarded", 1L),
            Map.entry("W7 1x64 cache-aside", 1L),
            Map.entry("W7 1x64 caffeine", 1L),
            Map.entry("W7 4x64-repeating guarded", 1L),
            Map.entry("W7 4x64-repeating cache-aside", 1L),
            Map.entry("W7 4x64-repeating caffeine", 1L),
            Map.entry("W8 2x1 guarded", 1L),
            Map.entry("W8 2x1 cache-aside", 1L),
            Map.entry("W8 2x1 caffeine", 1L),
            Map.entry("W9 plain guarded", 1L),
            Map.entry("W9 plain cache-aside", 1L),
            Map.entry("W9 quiet guarded", 1L),
            Map.entry("W9 quiet cache-aside", 1L),
            Map.entry("W12 1x16 guarded", 1L),
            Map.entry("W12 1x16 guarded-filter", 1L),
            Map.entry("W12 1x16-negatives guarded", 1L),
            Map.entry("W12 1x16-negatives guarded-filter", 1L),
            Map.entry("W13 quiet guarded", 1L),
            Map.entry("W13 quiet guarded-filter", 1L),
            Map.entry("W13 quiet cache-aside", 1L),
            Map.entry("W13 attack guarded", 1L),
            Map.entry("W13 attack guarded-filter", 1L),
            Map.entry("W13 attack cache-aside", 1L),
            Map.entry("W13 crowd guarded", 1L),
            Map.entry("W13 crowd guarded-filter", 1L),
            Map.entry("W13 crowd cache-aside", 1L),
            Map.entry("W14 first3s guarded", 1L),
            Map.entry("W14 first3s cache-aside", 1L),
            Map.entry("W14 first3s caffeine", 1L),
            Map.entry("W14 1x16 guarded", 1L),
            Map.entry("W14 1x16 cache-aside", 1L),
            Map.entry("W14 1x16 caffeine", 1L),
            Map.entry("W15 8x32 guarded", 1L),
            Map.entry("W15 8x32 guarded-near", 1L),
            Map.entry("W15 8x32 cache-aside", 1L),
            Map.entry("W16 1x64 guarded", 1L),
            Map.entry("W16 1x64 guarded-gathering", 1L),
            Map.entry("W17 2x1 guarded", 1L),
            Map.entry("W17 2x1 guarded-near", 1L),
            Map.entry("W17 2x1 cache-aside", 1L),
            Map.entry("W18 remove guarded", 1L),
            Map.entry("W18 remove cache-aside", 1L),
            Map.entry("W18 clear guarded", 1L),
            Map.entry("W18 clear cache-aside", 1L));

    @TempDir
    Path directory;

    @Test
    @Tag("brief")
    void quickRunsSomeWorkloadsWithTheirUsualPeers() throws Exception {
        List<String> some = List.of("W3", "W7", "W8", "W9");
        List<JsonNode> lines =
                run("--quick", "--json", "--workloads", String.join(",", some), "--report", page().toString());

        assertThat(counts(lines)).isEqualTo(usual(some));
        coldStampedesAreCounted(lines, "W3");
        failuresAreCounted(lines);
        hitsDoNotLoad(lines);
        lateWritersAreCounted(lines);
        assertThatThePageHas(some, "--quick --json --workloads W3,W7,W8,W9 --report");
    }

    private Path page() {
        return directory.resolve("page.html");
    }

    private void assertThatThePageHas(Collection<String> workloads, String command) {
        assertThat(page())
                .content()
                .contains(command, "</html>")
                .contains(workloads.stream()
                        .map(name -> "{\"name\":\"" + name + "\"")
                        .toList());
    }

    @Test
    @Tag("proof")
    void quickRunsEachWorkloadWithItsUsualPeers() throws Exception {
        List<JsonNode> lines = run("--quick", "--json", "--report", page().toString());

        assertThat(counts(lines)).isEqualTo(USUAL);
        assertThatThePageHas(
                USUAL.keySet().stream().map(line -> line.split(" ")[0]).collect(Collectors.toSet()),
                "--quick --json --report");
        hitsAreMeasured(lines);
        coldStampedesAreCounted(lines, "W3");
        coldStampedesAreCounted(lines, "W4");
        hotKeysAreReloaded(lines);
        othersTakeOverFromADeadLoader(lines);
        failuresAreCounted(lines);
        hitsDoNotLoad(lines);
        lateWritersAreCounted(lines);
        nonexistentKeysAreCounted(lines);
        usersAreMeasuredWithAndWithoutAnAttack(lines);
        uncontendedMissesAreMeasured(lines);
        manyColdKeysAreCounted(lines);
        gatheredLoadsAreCounted(lines);
        clearsLeaveNoEntryThatAnswers(lines);
        oldRowsAreCounted(lines);
    }

    /** Without those on virtual threads, whose number depends on the JVM. */
    private static Map<String, Long> counts(List<JsonNode> lines) {
        return lines.stream()
                .filter(line -> !text(line, "config").endsWith("-virtual"))
                .collect(Collectors.groupingBy(
                        line -> text(line, "workload") + " " + text(line, "config") + " " + text(line, "peer"),
                        Collectors.counting()));
    }

    private static Map<String, Long> usual(List<String> workloads) {
        return USUAL.entrySet().stream()
                .filter(entry -> workloads.contains(entry.getKey().split(" ")[0]))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private static void hitsAreMeasured(List<JsonNode> lines) {
        assertThat(of(lines, "W1", "")).allSatisfy(line -> {
            assertThat(names(line)).containsExactly("nsPerOp", "bytesPerOp");
            assertThat(number(line, "nsPerOp")).isPositive();
            assertThat(number(line, "bytesPerOp")).isNotNegative();
        });
        assertThat(of(lines, "W2", "")).allSatisfy(line -> {
            assertThat(names(line)).containsExactly("opsPerSecond", "p50Ms", "p99Ms", "redisCpuMicrosPerOp", "errors");
            assertThat(number(line, "opsPerSecond")).isPositive();
            assertThat(number(line, "p99Ms")).isGreaterThanOrEqualTo(number(line, "p50Ms"));
            assertThat(number(line, "errors")).as("all are hits").isZero();
        });
        assertThat(lines.stream()
                        .filter(line -> text(line, "config").endsWith("-virtual"))
                        .map(line -> text(line, "config"))
                        .distinct()
                        .toList())
                .isEqualTo(Runtime.version().feature() < 21 ? List.of() : List.of("1x64-virtual", "1x1000-virtual"));
    }

    /** A value lives for a second, and the callers send requests for 2.5 s. */
    private static void hotKeysAreReloaded(List<JsonNode> lines) {
        assertThat(of(lines, "W5", "")).allSatisfy(line -> {
            assertThat(names(line))
                    .containsSubsequence(
                            "loads",
                            "loadsPerTtl",
                            "p50Ms",
                            "p99Ms",
                            "p999Ms",
                            "maxMs",
                            "callsOver10Ms",
                            "callsOver10MsWhileRunning",
                            "stallMs",
                            "coldLoads",
                            "coldMaxMs",
                            "errors",
                            "redisCommands");
            assertThat(number(line, "loads")).isGreaterThanOrEqualTo(2);
            assertThat(number(line, "coldMaxMs")).isGreaterThanOrEqualTo(100);
            assertThat(number(line, "callsOver10MsWhileRunning")).isLessThanOrEqualTo(number(line, "callsOver10Ms"));
            assertThat(number(line, "errors")).isZero();
        });
        for (String peer : List.of("guarded", "guarded-near")) {
            assertThat(of(lines, "W5", peer)).allSatisfy(line -> {
                assertThat(number(line, "coldLoads")).as("fewer than processes").isBetween(1.0, 3.0);
                assertThat(names(line)).contains("waits");
            });
        }
        assertThat(of(lines, "W5", "caffeine")).allSatisfy(line -> {
            assertThat(number(line, "coldLoads")).as("in each process").isGreaterThanOrEqualTo(4);
            assertThat(number(line, "callsOver10Ms")).as("who waits for a load").isPositive();
            assertThat(names(line)).as("it cannot tell").doesNotContain("waits");
        });
    }

    private static void coldStampedesAreCounted(List<JsonNode> lines, String workload) {
        assertThat(of(lines, workload, "")).allSatisfy(line -> {
            assertThat(names(line))
                    .containsExactly("loads", "tailMs", "redisCommands", "redisCommandsBesidesGets", "errors");
            assertThat(number(line, "tailMs")).isPositive();
            assertThat(number(line, "errors")).isZero();
        });
        assertThat(of(lines, workload, "guarded"))
                .allSatisfy(line -> assertThat(number(line, "loads")).isEqualTo(1));
        assertThat(of(lines, workload, "caffeine")).allSatisfy(line -> {
            assertThat(number(line, "loads")).isEqualTo(workload.equals("W3") ? 1 : 4);
            assertThat(number(line, "redisCommands")).isZero();
            assertThat(number(line, "redisCommandsBesidesGets")).isZero();
        });
        // A GET for each caller and a SET for each load, however late a caller was.
        assertThat(of(lines, workload, "cache-aside")).allSatisfy(line -> {
            assertThat(number(line, "redisCommands")).isEqualTo(CALLERS + number(line, "loads"));
            assertThat(number(line, "redisCommandsBesidesGets")).isEqualTo(number(line, "loads"));
        });
    }

    private static void othersTakeOverFromADeadLoader(List<JsonNode> lines) {
        assertThat(of(lines, "W6", "")).allSatisfy(line -> {
            assertThat(names(line)).containsExactly("loads", "firstAnswerMs", "lastAnswerMs", "errors");
            assertThat(number(line, "loads")).isGreaterThanOrEqualTo(2);
            assertThat(number(line, "firstAnswerMs")).isPositive();
            assertThat(number(line, "lastAnswerMs")).isGreaterThanOrEqualTo(number(line, "firstAnswerMs"));
            assertThat(number(line, "errors")).isZero();
        });
    }

    private static void failuresAreCounted(List<JsonNode> lines) {
        List<JsonNode> all = of(lines, "W7", "");
        assertThat(all).filteredOn(line -> text(line, "config").equals("1x64")).allSatisfy(line -> {
            assertThat(names(line)).containsExactly("loads", "lastAnswerMs", "errors");
            assertThat(number(line, "errors")).isEqualTo(64);
        });
        assertThat(all)
                .filteredOn(line -> text(line, "config").equals("4x64-repeating"))
                .allSatisfy(line -> {
                    assertThat(names(line)).containsExactly("loads", "p99Ms", "maxMs", "errors");
                    assertThat(number(line, "errors")).isGreaterThanOrEqualTo(CALLERS);
                    assertThat(number(line, "loads")).isBetween(1.0, number(line, "errors"));
                });
    }

    private static void hitsDoNotLoad(List<JsonNode> lines) {
        assertThat(of(lines, "W8", "")).allSatisfy(line -> {
            assertThat(names(line)).containsExactly("loads", "p50Ms", "maxMs", "errors");
            assertThat(number(line, "loads")).as("that of A").isEqualTo(1);
            assertThat(number(line, "maxMs")).isGreaterThanOrEqualTo(number(line, "p50Ms"));
        });
    }

    /** Counts and states only: how fast a peer is depends on the machine. */
    @Test
    @Tag("proof")
    void anOutageIsReportedSecondBySecond() throws Exception {
        List<JsonNode> lines =
                run("--quick", "--json", "--workloads", "W10,W10b", "--peers", "guarded-near,cache-aside");
        List<JsonNode> seconds =
                lines.stream().filter(line -> line.has("second")).toList();

        assertThat(lines).hasSize(5 * 2 * 9);
        assertThat(seconds).hasSize(5 * 2 * 8);
        assertThat(seconds.subList(0, 8))
                .extracting(line -> text(line, "phase"))
                .containsExactly("before", "before", "fault", "fault", "fault", "after", "after", "after");
        assertThat(seconds)
                .filteredOn(line -> text(line, "phase").equals("before"))
                .allSatisfy(line -> {
                    assertThat(number(line, "gets")).isPositive();
                    assertThat(number(line, "errors")).isZero();
                });
        assertThat(lines).filteredOn(line -> !line.has("second")).allSatisfy(line -> {
            assertThat(names(line))
                    .contains(
                            "getsRatio",
                            "getsRatioLate",
                            "p99Ms",
                            "loadsPerSecond",
                            "misses",
                            "loadsInRecovery",
                            "loadsAfter",
                            "errors");
            assertThat(number(line, "mostLoadsInASecond")).isGreaterThanOrEqualTo(number(line, "loadsPerSecond"));
        });
    }

    private static void lateWritersAreCounted(List<JsonNode> lines) {
        assertThat(of(lines, "W9", "")).allSatisfy(line -> {
            assertThat(names(line)).containsExactly("staleRounds", "stillOldRounds", "races", "loads", "errors");
            assertThat(number(line, "round")).isEqualTo(3);
            assertThat(number(line, "races")).isBetween(0.0, 3.0);
            assertThat(number(line, "staleRounds")).isBetween(0.0, number(line, "races"));
            assertThat(number(line, "loads")).isGreaterThanOrEqualTo(3);
        });
        assertThat(of(lines, "W9", "guarded")).allSatisfy(line -> {
            assertThat(number(line, "staleRounds")).isZero();
            assertThat(number(line, "stillOldRounds")).isZero();
        });
    }

    /** One key in a hundred may pass the filter; without a filter, each key is loaded. */
    private static void nonexistentKeysAreCounted(List<JsonNode> lines) {
        assertThat(of(lines, "W12", "")).allSatisfy(line -> {
            assertThat(names(line))
                    .containsExactly(
                            "nonexistentKeys",
                            "loads",
                            "realDeclaredAbsent",
                            "opsPerSecond",
                            "p99Ms",
                            "errors",
                            "redisMemoryMiB");
            assertThat(number(line, "nonexistentKeys")).isEqualTo(20_000);
            assertThat(number(line, "realDeclaredAbsent")).isZero();
            assertThat(number(line, "opsPerSecond")).isPositive();
            assertThat(number(line, "errors")).isZero();
        });
        assertThat(of(lines, "W12", "guarded"))
                .allSatisfy(line -> assertThat(number(line, "loads")).isEqualTo(20_000));
        assertThat(of(lines, "W12", "guarded-filter"))
                .allSatisfy(line -> assertThat(number(line, "loads")).isBetween(1.0, 300.0));
        assertThat(of(lines, "W12", "guarded"))
                .filteredOn(line -> text(line, "config").equals("1x16-negatives"))
                .allSatisfy(line -> assertThat(number(line, "redisMemoryMiB"))
                        .as("20,000 times that there is none")
                        .isGreaterThan(1));
    }

    /** In each set-up 4 × 4 users send a hundred requests each. */
    private static void usersAreMeasuredWithAndWithoutAnAttack(List<JsonNode> lines) {
        List<JsonNode> all = of(lines, "W13", "");
        assertThat(all)
                .extracting(line -> text(line, "config"))
                .as("in turns")
                .containsExactly("quiet", "attack", "crowd", "quiet", "attack", "crowd", "quiet", "attack", "crowd");
        assertThat(all).allSatisfy(line -> {
            boolean attack = text(line, "config").equals("attack");
            assertThat(names(line)).containsExactly("p50Ms", "p99Ms", "gets", "nonexistentKeys", "loads", "errors");
            assertThat(number(line, "p99Ms")).isGreaterThanOrEqualTo(number(line, "p50Ms"));
            assertThat(number(line, "gets")).isEqualTo(1_600);
            assertThat(number(line, "nonexistentKeys")).isEqualTo(attack ? 1_600 : 0);
            assertThat(number(line, "errors")).isZero();
            if (!text(line, "peer").equals("guarded-filter")) {
                assertThat(number(line, "loads")).isEqualTo(attack ? 1_600 : 0);
            }
        });
        assertThat(of(lines, "W13", "guarded-filter"))
                .allSatisfy(line -> assertThat(number(line, "loads")).isLessThan(80));
    }

    private static void uncontendedMissesAreMeasured(List<JsonNode> lines) {
        assertThat(of(lines, "W14", "")).allSatisfy(line -> {
            boolean warm = text(line, "config").equals("1x16");
            assertThat(names(line).contains("warmUpSeconds")).isEqualTo(warm);
            assertThat(names(line))
                    .startsWith(
                            "opsPerSecond",
                            "p50Ms",
                            "p99Ms",
                            "redisCommandsPerOp",
                            "roundTripsPerOp",
                            "cpuMicrosPerOp",
                            "redisCpuMicrosPerOp",
                            "loadsPerKey",
                            "errors");
            assertThat(number(line, "loadsPerKey")).isEqualTo(1);
            assertThat(number(line, "cpuMicrosPerOp")).isPositive();
            assertThat(number(line, "errors")).isZero();
        });
    }

    /** Without a guard, some of the 256 callers load a key that others are already loading. */
    private static void manyColdKeysAreCounted(List<JsonNode> lines) {
        List<JsonNode> all = of(lines, "W15", "");
        assertThat(all).allSatisfy(line -> {
            assertThat(names(line))
                    .containsExactly(
                            "loads",
                            "loadsPerKey",
                            "mostLoadsOfAKey",
                            "unleasedLoads",
                            "unleasedStoreDown",
                            "unleasedUnanswered",
                            "unleasedRefused",
                            "unleasedNotCacheable",
                            "lastAnswerMs",
                            "p99Ms",
                            "maxMs",
                            "errors",
                            "redisCommands");
            assertThat(number(line, "loads")).isGreaterThanOrEqualTo(50);
            assertThat(number(line, "loadsPerKey")).isEqualTo(number(line, "loads") / 50);
            assertThat(number(line, "mostLoadsOfAKey")).isGreaterThanOrEqualTo(number(line, "loadsPerKey"));
            assertThat(number(line, "lastAnswerMs")).isPositive();
            assertThat(number(line, "maxMs")).isGreaterThanOrEqualTo(number(line, "p99Ms"));
            assertThat(number(line, "errors")).isZero();
        });
        assertThat(of(lines, "W15", "cache-aside"))
                .allSatisfy(line -> assertThat(number(line, "mostLoadsOfAKey")).isGreaterThan(1));
    }

    private static void gatheredLoadsAreCounted(List<JsonNode> lines) {
        assertThat(of(lines, "W16", "")).allSatisfy(line -> {
            assertThat(names(line))
                    .containsExactly("originCalls", "originCallsPerKey", "p50Ms", "p99Ms", "lastAnswerMs", "errors");
            assertThat(number(line, "errors")).isZero();
        });
        assertThat(of(lines, "W16", "guarded"))
                .allSatisfy(
                        line -> assertThat(number(line, "originCallsPerKey")).isEqualTo(1));
    }

    /** The entries of the guarded cache stay in Redis until their TTL; those of plain cache-aside are deleted. */
    private static void clearsLeaveNoEntryThatAnswers(List<JsonNode> lines) {
        assertThat(of(lines, "W17", "")).allSatisfy(line -> {
            assertThat(names(line))
                    .containsExactly(
                            "clearMs", "longestWaitMs", "longestWaitBeforeMs", "stillCached", "keysLeft", "errors");
            assertThat(number(line, "clearMs")).isPositive();
            assertThat(number(line, "longestWaitMs")).isPositive();
            assertThat(number(line, "stillCached")).isZero();
            assertThat(number(line, "errors")).isZero();
        });
        assertThat(of(lines, "W17", "guarded"))
                .allSatisfy(line -> assertThat(number(line, "keysLeft")).isGreaterThanOrEqualTo(2_000));
        assertThat(of(lines, "W17", "cache-aside"))
                .allSatisfy(line -> assertThat(number(line, "keysLeft")).isLessThan(2_000));
    }

    private static void oldRowsAreCounted(List<JsonNode> lines) {
        assertThat(of(lines, "W18", "")).allSatisfy(line -> {
            assertThat(names(line)).containsExactly("changes", "staleOwn", "staleOther", "loads", "errors");
            assertThat(number(line, "changes")).isEqualTo(20);
            assertThat(number(line, "staleOwn")).isZero();
            assertThat(number(line, "staleOther")).isZero();
        });
    }

    @Test
    void aTableTellsMediansAndWhatBecameOfTheGoals() throws Exception {
        try (ProgramJvm bench = ProgramJvm.start(
                Main.class,
                directory,
                "--quick",
                "--workloads",
                "W3",
                "--peers",
                "caffeine,guarded",
                "--rounds",
                "1")) {
            List<String> lines = bench.lines();
            assertThat(bench.exitCode()).as(bench.errors()).isZero();
            assertThat(lines.get(0)).startsWith("W3: cold stampede");
            assertThat(lines.get(1)).startsWith("config  peer      rounds  loads  ");
            assertThat(lines.get(2)).startsWith("1x256   guarded        1      1  ");
            assertThat(lines.get(3)).startsWith("1x256   caffeine       1      1  ");
            assertThat(lines.get(4)).isEqualTo("goal (guarded, 1x256): loads at most 1 in every round: 1, reached");
            assertThat(lines.get(5)).startsWith("goal (guarded, 1x256): tailMs at most 1.10 in the median, as a ratio");
        }
    }

    private List<JsonNode> run(String... arguments) throws Exception {
        List<JsonNode> lines = new ArrayList<>();
        try (ProgramJvm bench = ProgramJvm.start(Main.class, directory, arguments)) {
            for (String line : bench.lines()) {
                lines.add(JsonMapper.shared().readTree(line));
            }
            assertThat(bench.exitCode()).as(bench.errors()).isZero();
        }
        return lines;
    }

    private static List<JsonNode> of(List<JsonNode> lines, String workload, String peer) {
        return lines.stream()
                .filter(line -> text(line, "workload").equals(workload))
                .filter(line -> peer.isEmpty() || text(line, "peer").equals(peer))
                .toList();
    }

    /** The figures: everything after the first four names. */
    private static List<String> names(JsonNode line) {
        List<String> names = List.copyOf(line.propertyNames());
        assertThat(names.subList(0, 4)).containsExactly("workload", "peer", "config", "round");
        return names.subList(4, names.size());
    }

    private static String text(JsonNode line, String name) {
        return line.get(name).asString();
    }

    private static double number(JsonNode line, String name) {
        return line.get(name).asDouble();
    }
}
