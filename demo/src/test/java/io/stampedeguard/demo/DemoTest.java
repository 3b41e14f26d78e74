package io.stampedeguard.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.program.ProgramJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The whole demo with a small fleet of real processes, on a real Redis and a real database. */
class DemoTest {
    private static final int PROCESSES = 2;
    private static final int CALLERS = 8;
    private static final int BOUND = PROCESSES * 4;
    private static final int SECONDS = 3;

    @TempDir
    Path directory;

    @Test
    void quickShowsEachScenarioInEachModeAsJson() throws Exception {
        Map<String, JsonNode> figures = new HashMap<>();
        Path picture = directory.resolve("stampede.svg");
        try (ProgramJvm demo = ProgramJvm.start(
                Main.class,
                directory,
                "--quick",
                "--json",
                "--processes",
                "2",
                "--callers",
                "8",
                "--svg",
                picture.toString())) {
            for (String line : demo.lines()) {
                JsonNode json = JsonMapper.shared().readTree(line);
                figures.put(
                        json.get("scenario").asString() + " " + json.get("mode").asString(), json);
            }
            assertThat(demo.exitCode()).as(demo.errors()).isZero();
        }

        assertThat(figures).hasSize(14).allSatisfy((name, json) -> {
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
            assertThat(number(json, "callers")).isEqualTo(CALLERS);
            assertThat(number(json, "errors")).isZero();
            assertThat(number(json, "waited")).isBetween(0L, number(json, "gets"));
            assertThat(number(json, "maxConcurrentQueries")).isBetween(0L, number(json, "queries"));
        });

        assertThat(number(figures.get("expiry guarded-near"), "redisCommands"))
                .isLessThan(number(figures.get("expiry guarded-near"), "gets"));
        figures.remove("expiry guarded-near");
        assertThat(figures)
                .allSatisfy((name, json) ->
                        assertThat(number(json, "redisCommands")).isGreaterThanOrEqualTo(number(json, "gets")));

        assertThat(number(figures.get("cold plain"), "gets")).isEqualTo(PROCESSES * CALLERS);
        assertThat(number(figures.get("cold guarded"), "gets")).isEqualTo(PROCESSES * CALLERS);
        assertThat(number(figures.get("cold guarded"), "queries")).isEqualTo(1);
        // 1.2 s with a TTL of 1 s.
        assertThat(number(figures.get("expiry guarded"), "queries")).isLessThanOrEqualTo(2);
        assertThat(number(figures.get("avalanche guarded"), "maxConcurrentQueries"))
                .isLessThanOrEqualTo(BOUND);
        assertThat(number(figures.get("replay guarded"), "queries")).isLessThanOrEqualTo(keysOfTheBuiltInTrace());
        // The one that was killed; then each without a guard, and with it one who takes over.
        assertThat(number(figures.get("crash plain"), "queries")).isLessThanOrEqualTo(1 + PROCESSES * CALLERS);
        assertThat(number(figures.get("crash guarded"), "queries"))
                .isBetween(2L, number(figures.get("crash plain"), "queries") - 1);
        assertThat(figures.get("crash guarded").get("firstAnswerMs").asDouble())
                .isBetween(0.0, figures.get("crash guarded").get("lastAnswerMs").asDouble());
        assertThat(figures).hasEntrySatisfying("penetration plain", plain -> {
            assertThat(number(plain, "queriesForNothing"))
                    .isEqualTo(number(plain, "madeUpGets"))
                    .isPositive();
            assertThat(number(plain, "madeUpKeysInRedis")).isZero();
        });
        assertThat(figures).hasEntrySatisfying("penetration guarded", guarded -> {
            assertThat(number(guarded, "queriesForNothing"))
                    .isEqualTo(number(guarded, "madeUpGets"))
                    .isPositive();
            assertThat(number(guarded, "madeUpKeysInRedis")).isEqualTo(number(guarded, "madeUpGets"));
        });
        assertThat(Files.readString(picture)).startsWith("<svg ").endsWith("</svg>\n");
    }

    /** With the long query: the last caller asks long before the first answer is there. */
    @Test
    void inAColdCacheEveryPlainCallerQueriesAndOneGuardedCallerDoes() throws Exception {
        try (ProgramJvm demo = ProgramJvm.start(
                Main.class, directory, "--scenario", "cold", "--json", "--processes", "2", "--callers", "8")) {
            List<String> lines = demo.lines();
            assertThat(demo.exitCode()).as(demo.errors()).isZero();
            assertThat(lines).hasSize(2);
            assertThat(number(JsonMapper.shared().readTree(lines.get(0)), "queries"))
                    .isEqualTo(PROCESSES * CALLERS);
            assertThat(number(JsonMapper.shared().readTree(lines.get(1)), "queries"))
                    .isEqualTo(1);
        }
    }

    /** Whoever finds the product stale is served: nobody waits in either guarded mode, and all do their own in mode plain. */
    @Test
    void anExpiryCostsPlainCallersAWaitAndGuardedCallersNone() throws Exception {
        Map<String, JsonNode> figures = new HashMap<>();
        try (ProgramJvm demo = ProgramJvm.start(
                Main.class,
                directory,
                "--scenario",
                "expiry",
                "--seconds",
                Integer.toString(SECONDS),
                "--json",
                "--processes",
                "2",
                "--callers",
                "16")) {
            for (String line : demo.lines()) {
                JsonNode json = JsonMapper.shared().readTree(line);
                figures.put(json.get("mode").asString(), json);
            }
            assertThat(demo.exitCode()).as(demo.errors()).isZero();
        }

        assertThat(figures).containsOnlyKeys("plain", "guarded", "guarded-near");
        JsonNode plain = figures.get("plain");
        JsonNode guarded = figures.get("guarded");
        JsonNode near = figures.get("guarded-near");
        assertThat(number(plain, "waited")).isEqualTo(number(plain, "queries")).isPositive();
        assertThat(number(plain, "stale")).isZero();
        assertThat(number(guarded, "waited")).isZero();
        assertThat(number(guarded, "stale")).isPositive();
        assertThat(number(near, "waited")).isZero();
        assertThat(number(near, "redisCommands")).as(near.toString()).isLessThan(number(near, "gets") / 2);
        // Never before half of the TTL is over.
        assertThat(number(near, "queries")).isBetween(1L, 2L * SECONDS + 1);
        assertThat(figures)
                .allSatisfy((mode, json) -> assertThat(number(json, "errors")).isZero());
    }

    /** The filter is made for one of a hundred that passes. */
    @Test
    void madeUpKeysDoNotPassTheFilterAndRowsMadeMeanwhileAreFoundAtOnce() throws Exception {
        try (ProgramJvm demo = ProgramJvm.start(
                Main.class,
                directory,
                "--scenario",
                "penetration",
                "--mode",
                "guarded-filter",
                "--seconds",
                Integer.toString(SECONDS),
                "--json",
                "--processes",
                "2",
                "--callers",
                "16")) {
            List<String> lines = demo.lines();
            assertThat(demo.exitCode()).as(demo.errors()).isZero();
            assertThat(lines).hasSize(1);
            JsonNode filtered = JsonMapper.shared().readTree(lines.get(0));
            assertThat(number(filtered, "errors")).isZero();
            assertThat(number(filtered, "usersGets")).isPositive();
            assertThat(number(filtered, "wrongAnswers")).isZero();
            assertThat(number(filtered, "madeUpGets")).isPositive();
            assertThat(number(filtered, "queriesForNothing")).isLessThan(number(filtered, "madeUpGets") / 10);
            assertThat(number(filtered, "madeUpKeysInRedis")).isLessThan(number(filtered, "madeUpGets") / 10);
            assertThat(number(filtered, "rows")).isPositive();
            assertThat(number(filtered, "rowsFound")).isEqualTo(number(filtered, "rows") * (PROCESSES - 1));
            assertThat(number(filtered, "rowsMissed")).isZero();
        }
    }

    @Test
    void attacksHaveATableOfTheirOwn() throws Exception {
        try (ProgramJvm demo = ProgramJvm.start(
                Main.class,
                directory,
                "--quick",
                "--scenario",
                "cold,penetration",
                "--mode",
                "plain",
                "--processes",
                "1",
                "--callers",
                "3")) {
            List<String> lines = demo.lines();
            assertThat(demo.exitCode()).as(demo.errors()).isZero();
            assertThat(lines.get(0)).startsWith("scenario     mode   gets");
            assertThat(lines.get(4)).startsWith("mode   users' gets  their p99 ms  wrong  made-up gets  queries");
            assertThat(lines.get(5)).startsWith("plain");
            assertThat(lines.get(8)).startsWith("penetration: plain, ").contains(" all for nothing, ");
        }
    }

    @Test
    void aTableAndASentenceTellWhatHappened() throws Exception {
        try (ProgramJvm demo = ProgramJvm.start(
                Main.class,
                directory,
                "--quick",
                "--scenario",
                "cold",
                "--mode",
                "guarded",
                "--processes",
                "1",
                "--callers",
                "3")) {
            List<String> lines = demo.lines();
            assertThat(demo.exitCode()).as(demo.errors()).isZero();
            assertThat(lines.get(0)).startsWith("scenario  mode     gets  queries  at once  waited  stale  p50 ms");
            assertThat(lines.get(1)).startsWith("cold      guarded     3        1        1       3      0 ");
            assertThat(lines.get(3)).startsWith("cold: guarded, 1 query served all 3, the last after ");
        }
    }

    private static long keysOfTheBuiltInTrace() throws Exception {
        Plan quick = new Plan(PROCESSES, CALLERS, 1_050, 1, 12_000, 6_000, null);
        return Arrays.stream(ReplayScenario.requests(quick)).distinct().count();
    }

    private static long number(JsonNode json, String name) {
        return json.get(name).asLong();
    }
}
