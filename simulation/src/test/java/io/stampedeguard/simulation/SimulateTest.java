package io.stampedeguard.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.program.ProgramRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The program as its users run it. */
final class SimulateTest {
    @TempDir
    Path directory;

    @Test
    void aSeedDeterminesEveryByteOfTheOutput() throws Exception {
        List<String> lines = run("--json", "--processes", "10", "--keys", "100", "--seeds", "1");

        assertThat(lines).hasSize(Scenario.values().length);
        assertThat(run("--json", "--processes", "10", "--keys", "100", "--seeds", "1"))
                .isEqualTo(lines);
    }

    @Test
    void anotherSeedGivesOtherFigures() throws Exception {
        List<String> lines =
                run("--json", "--scenarios", "zipf", "--processes", "10", "--keys", "100", "--seeds", "1,2");

        assertThat(figures(lines.get(0))).isNotEqualTo(figures(lines.get(1)));
    }

    @Test
    void eachExpiryOfTenProcessesIsOneLoad() throws Exception {
        for (String line : run("--json", "--processes", "10", "--keys", "100")) {
            JsonNode figures = figures(line);
            assertThat(figures.get("expiries").asInt()).as(line).isPositive();
            assertThat(figures.get("loads").asInt())
                    .as(line)
                    .isEqualTo(figures.get("expiries").asInt());
            assertThat(figures.get("originPeakOfAKey").asInt()).as(line).isEqualTo(1);
            assertThat(figures.get("errors").asInt()).as(line).isZero();
        }
    }

    @Test
    @Tag("proof")
    void eachExpiryOfTenThousandProcessesIsOneLoad() throws Exception {
        for (String line : run("--json", "--scenarios", "cold,expiry", "--processes", "10000", "--reads", "1")) {
            JsonNode figures = figures(line);
            assertThat(figures.get("loads").asInt())
                    .as(line)
                    .isPositive()
                    .isEqualTo(figures.get("expiries").asInt());
            assertThat(figures.get("errors").asInt()).as(line).isZero();
        }
    }

    @Test
    void eachScenarioGetsAPicture() throws Exception {
        run(
                "--scenarios",
                "cold,restart",
                "--processes",
                "2,3",
                "--keys",
                "10,20",
                "--plots",
                directory.resolve("plots").toString());

        assertThat(directory.resolve("plots")).isDirectoryContaining("glob:**/cold.svg");
        assertThat(Files.readString(directory.resolve("plots/restart.svg")))
                .startsWith("<svg")
                .contains("(20 keys)")
                .doesNotContain("NaN")
                .endsWith("</svg>\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --scenarios cold,chaos | --scenarios 'chaos' is none of cold, expiry, zipf, restart
                    --processes 10001      | --processes 10001 is not from 1 to 10,000
                    --keys 0               | --keys 0 is not from 1 to 1,000,000
                    --load many            | Invalid value for option '--load': 'many' is not an int
                    --keys                 | Missing required parameter for option '--keys' (N)
                    --key 1                | Unknown options: '--key', '1'
                    --plots pom.xml/x      | --plots pom.xml/x is not a directory
                    """)
    void aWrongOptionIsOneLineAndExitCode2(String options, String complaint) {
        assertThat(ProgramRun.here("stampede simulate", new SimulateCommand(), options.split(" ")))
                .isEqualTo(ProgramRun.ofWrongOption("stampede simulate", complaint));
    }

    @Test
    void theHelpDescribesEachScenario() {
        String help = String.join(
                "\n",
                ProgramRun.here("stampede simulate", new SimulateCommand(), "--help")
                        .lines());

        assertThat(help).contains("Usage: ./stampede simulate");
        for (Scenario scenario : Scenario.values()) {
            assertThat(help).contains("  " + scenario.option() + "  ");
        }
    }

    private static JsonNode figures(String line) {
        return new JsonMapper().readTree(line).get("figures");
    }

    private List<String> run(String... arguments) throws Exception {
        ProgramRun ended = ProgramRun.inOwnJvm(Main.class, directory, arguments);
        assertThat(ended.code()).as(ended.errors()).isZero();
        return ended.lines();
    }
}
