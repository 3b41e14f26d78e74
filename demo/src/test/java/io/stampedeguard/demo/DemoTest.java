package io.stampedeguard.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.demo.scenario.Plan;
import io.stampedeguard.demo.scenario.ReplayScenario;
import io.stampedeguard.testbed.program.ProgramJvm;
import io.stampedeguard.testbed.program.ProgramRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The demo with a small fleet of real processes, on a real Redis and a real database. */
@Order(3)
@Execution(ExecutionMode.CONCURRENT) // each test waits for a program with processes of its own
class DemoTest {
    private static final int PROCESSES = 2;
    private static final int CALLERS = 16;
    private static final int SECONDS = 3;

    @TempDir
    static Path directory;

    /** The output lines by scenario and mode. */
    private static Map<String, JsonNode> figures;

    @BeforeAll
    static void runTheScenariosThatTakeTheirTime() throws Exception {
        figures = run(
                "--quick",
                "--scenario",
                "expiry,penetration",
                "--seconds",
                Integer.toString(SECONDS),
                "--processes",
                "2",
                "--callers",
                "16");
    }

    private static Map<String, JsonNode> run(String... options) throws Exception {
        Map<String, JsonNode> figures = new HashMap<>();
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.add("--json");
        try (ProgramJvm demo = ProgramJvm.start(Main.class, directory, arguments.toArray(String[]::new))) {
            for (String line : demo.lines()) {
                JsonNode json = JsonMapper.shared().readTree(line);
                String second = json.has("second") ? " " + json.get("second").asInt() : "";
                figures.put(
                        json.get("scenario").asString() + " " + json.get("mode").asString() + second, json);
            }
            assertThat(demo.exitCode()).as(demo.errors()).isZero();
        }
        return figures;
    }

    @Test
    void eachScenarioInEachModeIsALineOfJson() {
        assertThat(figures)
                .containsOnlyKeys(
                        "expiry plain",
                        "expiry guarded",
                        "expiry guarded-near",
                        "penetration plain",
                        "penetration guarded",
                        "penetration guarded-filter")
                .allSatisfy((name, json) -> isComplete(json, CALLERS));
    }

    private static void isComplete(JsonNode json, int callers) {
        assertThat(json.propertyNames())
                .startsWith(
                        "scenario",
                        "mode",
                        "processes",
                        "callers",
                        "gets",
                        "queries",
                        "maxConcurrentQueries",
                        "p50Ms",
                        "p99Ms",
                        "maxMs",
                        "redisCommands",
                        "errors",
                        "waited",
                        "stale");
        assertThat(number(json, "processes")).isEqualTo(PROCESSES);
        assertThat(number(json, "callers")).isEqualTo(callers);
        assertThat(number(json, "errors")).isZero();
        assertThat(number(json, "waited")).isBetween(0L, number(json, "gets"));
        assertThat(number(json, "maxConcurrentQueries")).isBetween(0L, number(json, "queries"));
    }

    @Test
    void coldCachesMakeWaitingPlainCallersQueryAndOneGuardedCaller() throws Exception {
        Map<String, JsonNode> cold = run("--scenario", "cold", "--processes", "2", "--callers", "8");

        assertThat(cold).containsOnlyKeys("cold plain", "cold guarded");
        JsonNode plain = cold.get("cold plain");
        // A caller that is late finds the product.
        assertThat(number(plain, "queries")).isEqualTo(number(plain, "waited")).isGreaterThan(1);
        JsonNode guarded = cold.get("cold guarded");
        assertThat(number(guarded, "queries")).as(guarded.toString()).isEqualTo(1);
    }

    /**
     * Callers that find the product stale are served: no caller waits in either guarded mode, and all query in mode
     * plain.
     */
    @Test
    void anExpiryCostsPlainCallersAWaitAndGuardedCallersNone() {
        JsonNode plain = figures.get("expiry plain");
        JsonNode guarded = figures.get("expiry guarded");
        JsonNode near = figures.get("expiry guarded-near");
        assertThat(number(plain, "waited")).isEqualTo(number(plain, "queries")).isPositive();
        assertThat(number(plain, "stale")).isZero();
        assertThat(number(guarded, "waited")).isZero();
        assertThat(number(guarded, "stale")).isPositive();
        assertThat(number(near, "waited")).isZero();
        assertThat(number(near, "redisCommands")).as(near.toString()).isLessThan(number(near, "gets") / 2);
        // Never before half of the TTL has passed.
        assertThat(number(near, "queries")).isBetween(1L, 2L * SECONDS + 1);
    }

    @Test
    void withoutAFilterEachNonexistentKeyCostsAQuery() {
        JsonNode plain = figures.get("penetration plain");
        JsonNode guarded = figures.get("penetration guarded");
        queriesForEachNonexistentKey(plain);
        queriesForEachNonexistentKey(guarded);
        assertThat(number(plain, "nonexistentKeysInRedis")).isZero();
        assertThat(number(guarded, "nonexistentKeysInRedis")).isEqualTo(number(guarded, "nonexistentGets"));
    }

    private static void queriesForEachNonexistentKey(JsonNode json) {
        assertThat(number(json, "queriesForNothing"))
                .isEqualTo(number(json, "nonexistentGets"))
                .isPositive();
    }

    /** The kill and the restart may be late, but are never early. To guarded callers, a slow Redis is down, too. */
    @Test
    void anOutageCostsPlainCallersQueriesAndGuardedQueriesStayBounded() throws Exception {
        Map<String, JsonNode> outage = run("--quick", "--scenario", "outage", "--processes", "2", "--callers", "8");

        assertThat(outage).hasSize(2 * (1 + 3));
        JsonNode plain = outage.get("outage plain");
        JsonNode near = outage.get("outage guarded-near");
        isComplete(plain, 8);
        isComplete(near, 8);
        assertThat(outage.get("outage plain 0").get("redisRuns").asBoolean()).isTrue();
        assertThat(outage.get("outage plain 1").get("redisRuns").asBoolean()).isFalse();
        assertThat(number(plain, "queries")).isPositive();
        assertThat(number(outage.get("outage plain 0"), "queries")).isZero();
        assertThat(number(near, "maxConcurrentQueries")).isLessThanOrEqualTo(PROCESSES * 4);
    }

    /** The filter is designed to let one of a hundred pass. */
    @Test
    void theFilterStopsNonexistentKeysAndPassesNewRowsAtOnce() {
        JsonNode filtered = figures.get("penetration guarded-filter");
        assertThat(number(filtered, "usersGets")).isPositive();
        assertThat(number(filtered, "wrongAnswers")).isZero();
        assertThat(number(filtered, "nonexistentGets")).isPositive();
        assertThat(number(filtered, "queriesForNothing")).isLessThan(number(filtered, "nonexistentGets") / 10);
        assertThat(number(filtered, "nonexistentKeysInRedis")).isLessThan(number(filtered, "nonexistentGets") / 10);
        assertThat(number(filtered, "rows")).isPositive();
        assertThat(number(filtered, "rowsFound")).isEqualTo(number(filtered, "rows") * (PROCESSES - 1));
        assertThat(number(filtered, "rowsMissed")).isZero();
    }

    /** All of it, including the killed processes. */
    @Test
    @Tag("proof")
    void quickShowsAllScenariosAndModesAsJsonAndAPicture() throws Exception {
        Path picture = directory.resolve("stampede.svg");
        Map<String, JsonNode> all = run("--quick", "--processes", "2", "--callers", "8", "--svg", picture.toString());

        assertThat(all).hasSize(17 + 2 * 3); // and the seconds of the outage
        all.values().stream().filter(json -> !json.has("second")).forEach(json -> isComplete(json, 8));
        assertThat(number(all.get("expiry guarded-near"), "redisCommands"))
                .isLessThan(number(all.get("expiry guarded-near"), "gets"));
        all.forEach((name, json) -> {
            if (name.endsWith(" plain")
                    && !name.startsWith("outage")) { // each get is a command; others travel together
                assertThat(number(json, "redisCommands")).as(name).isGreaterThanOrEqualTo(number(json, "gets"));
            }
        });
        assertThat(number(all.get("cold plain"), "gets")).isEqualTo(PROCESSES * 8);
        assertThat(number(all.get("cold guarded"), "gets")).isEqualTo(PROCESSES * 8);
        assertThat(number(all.get("cold guarded"), "queries")).isEqualTo(1);
        assertThat(number(all.get("expiry guarded"), "maxConcurrentQueries")).isLessThanOrEqualTo(1);
        assertThat(number(all.get("avalanche guarded"), "maxConcurrentQueries")).isLessThanOrEqualTo(PROCESSES * 4);
        assertThat(number(all.get("replay plain-bounded"), "maxConcurrentQueries"))
                .isLessThanOrEqualTo(PROCESSES * 4);
        assertThat(number(all.get("replay guarded"), "queries")).isLessThanOrEqualTo(keysOfTheBuiltInTrace());
        // The killed one; then each process without a guard, and with it the one that takes over.
        assertThat(number(all.get("crash plain"), "queries")).isLessThanOrEqualTo(1 + PROCESSES * 8);
        assertThat(number(all.get("crash guarded"), "queries"))
                .isBetween(2L, number(all.get("crash plain"), "queries") - 1);
        assertThat(all.get("crash guarded").get("firstAnswerMs").asDouble())
                .isBetween(0.0, all.get("crash guarded").get("lastAnswerMs").asDouble());
        queriesForEachNonexistentKey(all.get("penetration plain"));
        queriesForEachNonexistentKey(all.get("penetration guarded"));
        assertThat(Files.readString(picture)).startsWith("<svg ").endsWith("</svg>\n");
    }

    @Test
    void eachScenarioIsTwoLinesOfEightyColumnsWithoutColorsAndLogs() throws Exception {
        Path log = directory.resolve("demo.log");
        try (ProgramJvm demo = ProgramJvm.start(
                Main.class,
                directory,
                "--quick",
                "--scenario",
                "cold,outage",
                "--processes",
                "2",
                "--callers",
                "3",
                "--log",
                log.toString())) {
            List<String> lines = demo.lines();
            assertThat(demo.exitCode()).as(demo.errors()).isZero();
            assertThat(lines)
                    .allSatisfy(line -> assertThat(line)
                            .hasSizeLessThanOrEqualTo(line.contains(log.toString()) ? Integer.MAX_VALUE : 80)
                            .doesNotContain("\u001B"));
            assertThat(lines.get(0)).matches("  2 scenarios, without and with the cache: about [1-9]0 s\\.");
            assertThat(lines.get(1))
                    .matches("  A cache stampede, for real: 2 JVMs x 3 callers, Redis, an? [0-9.,]+ ms SQL query\\.");
            assertThat(lines.get(2)).endsWith("  plain cache-aside   StampedeGuardedCache");
            assertThat(lines.get(3)).matches("  1 cold        one key is missing   [1-6] quer(y|ies) +1 query");
            assertThat(lines.get(4)).matches("                last answer after    [0-9.]+ m?s +[0-9.]+ m?s");
            assertThat(lines.get(5)).matches("  2 outage      Redis is killed, 1 s [0-9,]+ quer.* [0-9,]+ quer(y|ies)");
            assertThat(lines.get(6)).matches("                answers a second     [0-9,]+ .* \\(near cache\\)");
            assertThat(lines).last().isEqualTo("  Redis was killed on purpose; the warnings: " + log);
            assertThat(demo.errors().lines())
                    .containsExactly(
                            "starting Redis, the database and 2 processes",
                            "1/2 cold  plain",
                            "1/2 cold  guarded",
                            "2/2 outage  plain",
                            "2/2 outage  guarded-near");
            assertThat(log).content().contains("WARN");
        }
    }

    @Test
    void verboseShowsAllFiguresOfAllModes() throws Exception {
        try (ProgramJvm demo = ProgramJvm.start(
                Main.class,
                directory,
                "--quick",
                "--verbose",
                "--scenario",
                "penetration",
                "--processes",
                "1",
                "--callers",
                "4")) {
            List<String> lines = demo.lines();
            assertThat(demo.exitCode()).as(demo.errors()).isZero();
            assertThat(lines.get(3)).matches("  1 penetration keys without a row   [0-9,]+ quer.*");
            assertThat(lines.get(6)).matches("scenario +mode +gets +queries +at once +waited +stale +p50 ms .*");
            assertThat(lines.subList(7, 10).stream().map(line -> line.split(" +")[1]))
                    .containsExactly("plain", "guarded", "guarded-filter");
            assertThat(lines.get(11)).matches("mode +users' gets +their p99 ms +wrong +nonexistent gets +queries .*");
        }
    }

    @Test
    void helpFitsATerminal() {
        ProgramRun help = ProgramRun.here("stampede demo", new DemoCommand(), "--help");

        assertThat(help.lines())
                .hasSizeLessThanOrEqualTo(40)
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
        assertThat(help.code()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "8.5, an 8.5 ms",
        "8, an 8.0 ms",
        "11.2, an 11 ms",
        "18, an 18 ms",
        "80, an 80 ms",
        "812, an 812 ms",
        "1.1, a 1.1 ms",
        "28, a 28 ms",
        "110, a 110 ms"
    })
    void lengthOfTheQueryHasItsArticle(double millis, String text) {
        assertThat(DemoCommand.withArticle(millis)).isEqualTo(text);
    }

    private static long keysOfTheBuiltInTrace() throws Exception {
        Plan quick = new Plan(PROCESSES, 8, 1_050, 1, 12_000, 6_000, null);
        return Arrays.stream(ReplayScenario.requests(quick)).distinct().count();
    }

    private static long number(JsonNode json, String name) {
        return json.get(name).asLong();
    }
}
