package io.stampedeguard.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stampedeguard.benchmarks.result.Result;
import io.stampedeguard.benchmarks.result.Results;
import io.stampedeguard.benchmarks.result.Results.Place;
import io.stampedeguard.benchmarks.result.Second;
import io.stampedeguard.testbed.measure.Figures;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The report of a run with a few results. */
class ReportTest {
    private static final Map<String, Results> RESULTS = Map.of(
            "W3",
            new Results(
                    List.of(
                            cold("guarded", 1, 8, 20),
                            cold("caffeine", 1, 8, 0),
                            cold("guarded", 2, 9, 22),
                            cold("caffeine", 2, 6, 0)),
                    Map.of(new Place("redisson-lock", "1x256"), "no answer <after> 180 s"),
                    Map.of()),
            "W10",
            new Results(
                    List.of(new Result(
                            "W10",
                            "guarded",
                            "killed",
                            1,
                            Figures.none()
                                    .withRate("getsRatio", 0.5)
                                    .withRate("loadsPerSecond", 9)
                                    .with("errors", 0))),
                    Map.of(),
                    Map.of(
                            new Place("guarded", "killed"),
                            List.of(second(0, "before", 900, 0, 1.5), second(1, "fault", 450, 9, 3)))));

    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final Map<String, String> FACTS = facts();

    private final Report report = Report.of(FACTS, RESULTS);
    private final String markdown = Format.MARKDOWN.written(report);
    private final String page = Format.HTML.written(report);

    private static Result cold(String peer, int round, double tailMillis, long commands) {
        return new Result(
                "W3",
                peer,
                "1x256",
                round,
                Figures.none()
                        .with("loads", 1)
                        .withMillis("tailMs", tailMillis)
                        .with("redisCommands", commands)
                        .with("errors", 0));
    }

    private static Second second(int number, String phase, long gets, long loads, double p99Millis) {
        return new Second(
                number,
                phase,
                null,
                Figures.none().with("gets", gets).with("loads", loads).withMillis("p99Ms", p99Millis));
    }

    private static Map<String, String> facts() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("command", "./stampede bench --workloads W3,W10 & more");
        facts.put("commit", "0123456789ab");
        facts.put("machine", "2 × processor, 24 GiB");
        return facts;
    }

    @Test
    void theFactsAndTheSetUpOfEachPeerAreReported() {
        assertThat(report.facts()).isEqualTo(FACTS);
        assertThat(report.peers()).containsOnlyKeys("guarded", "caffeine", "redisson-lock");
        assertThat(report.peers().get("guarded")).endsWith(": RedisStore.connect, default options and policy");
        assertThat(report.peers().get("caffeine")).matches("caffeine-[0-9.]+ in each process.*");
    }

    @Test
    void aTableHasTheMedianAndTheRangeOfEachFigure() {
        assertThat(report.workloads()).extracting(Report.Section::name).containsExactly("W3", "W10");
        assertThat(report.workloads().get(0).tables())
                .singleElement()
                .satisfies(table -> assertThat(table.cells())
                        .containsExactly(
                                List.of("peer", "rounds", "loads", "tailMs", "redisCommands", "errors"),
                                List.of("guarded", "2", "1", "8.5 (8–9)", "21 (20–22)", "0"),
                                List.of("caffeine", "2", "1", "7 (6–8)", "0", "0")));
    }

    @Test
    void goalsAndFailuresAreReportedWithTheReason() {
        assertThat(report.workloads().get(0).notes())
                .contains(
                        new Report.Note(Report.Tone.FAILED, "failed (redisson-lock, 1x256): no answer <after> 180 s"),
                        new Report.Note(
                                Report.Tone.REACHED,
                                "goal (guarded, 1x256): loads at most 1 in every round: 1, reached"))
                .anySatisfy(note -> {
                    assertThat(note.tone()).isEqualTo(Report.Tone.MISSED);
                    assertThat(note.text()).matches("goal \\(guarded, 1x256\\): tailMs at most 1.10 .* 1.21, MISSED");
                });
    }

    @Test
    void thePageContainsTheReportAsJsonThatNoTextEnds() {
        String json = page.substring(page.indexOf("id=\"report\">") + "id=\"report\">".length());
        JsonNode read = JsonMapper.shared().readTree(json.substring(0, json.indexOf('<')));

        assertThat(read.get("facts").get("command").asString()).isEqualTo("./stampede bench --workloads W3,W10 & more");
        JsonNode cold = read.get("workloads").get(0);
        assertThat(cold.get("notes").get(0).get("text").asString()).endsWith("no answer <after> 180 s");
        JsonNode tail =
                cold.get("tables").get(0).get("rows").get(0).get("figures").get("tailMs");
        assertThat(tail.get("median").asDouble()).isEqualTo(8.5);
        assertThat(tail.get("words").asString()).isEqualTo("8.5 (8–9)");
        JsonNode seconds = read.get("workloads").get(1).get("tables").get(0).get("seconds");
        assertThat(seconds.get("guarded").get(1).get("phase").asString()).isEqualTo("fault");
    }

    @Test
    void thePageIsSelfContainedAndTheSameForTheSameReport() {
        assertThat(page)
                .startsWith("<!DOCTYPE html>")
                .endsWith("</html>\n")
                .contains("Chart.js v4")
                .doesNotContain("<link", " src=", " href=", "url(")
                .isEqualTo(Format.HTML.written(report));
    }

    @Test
    @Tag("proof")
    void aBrowserDrawsTheTablesAndTheCharts(@TempDir Path directory) throws Exception {
        assumeTrue(Files.isExecutable(CHROMIUM), "needs chromium");
        Path file = Files.writeString(directory.resolve("page.html"), page);
        Path dom = directory.resolve("dom");
        Path console = directory.resolve("console");
        Process browser = new ProcessBuilder(
                        CHROMIUM.toString(),
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--user-data-dir=" + directory.resolve("profile"),
                        "--enable-logging=stderr",
                        "--dump-dom",
                        file.toUri().toString())
                .redirectOutput(dom.toFile())
                .redirectError(console.toFile())
                .start();

        assertThat(browser.waitFor()).isZero();
        assertThat(console).content().doesNotContain("CONSOLE");
        assertThat(dom)
                .content()
                .contains("<th>commit</th><td>0123456789ab</td>")
                .contains("<h2 id=\"W3\">W3: cold stampede")
                .contains(
                        "<tr><th>guarded</th><td>2</td><td>1</td><td>8.5 (8–9)</td><td>21 (20–22)</td><td>0</td></tr>")
                .contains("<p class=\"failed\">failed (redisson-lock, 1x256): no answer &lt;after&gt; 180 s</p>")
                .containsPattern("<canvas role=\"img\" aria-label=\"tailMs\"[^>]* width=\"")
                .containsPattern("<canvas role=\"img\" aria-label=\"gets, each second\"[^>]* width=\"");
    }

    @Test
    void theMarkdownHasTheSameTablesGoalsAndFailuresWithoutPictures() {
        assertThat(markdown)
                .startsWith("""
                        |  |  |
                        |---|---|
                        | command | ./stampede bench --workloads W3,W10 \\& more |
                        """)
                .contains("\n\n### Peers\n\n")
                .containsPattern("\n\\| guarded \\| .*: RedisStore.connect, default options and policy \\|\n")
                .containsPattern("\n\n### W3: cold stampede.*\n\n#### 1x256\n\n")
                .contains("""
                        | peer | rounds | loads | tailMs | redisCommands | errors |
                        |---|--:|--:|--:|--:|--:|
                        | guarded | 2 | 1 | 8.5 (8–9) | 21 (20–22) | 0 |
                        | caffeine | 2 | 1 | 7 (6–8) | 0 | 0 |

                        - failed (redisson-lock, 1x256): no answer \\<after> 180 s
                        - goal (guarded, 1x256): loads at most 1 in every round: 1, reached
                        """)
                .endsWith("\n")
                .doesNotContain("<svg", "</", "\n\n\n")
                .isEqualTo(Format.MARKDOWN.written(report));
    }

    @Test
    void theNameOfTheFileDecidesTheFormat() {
        assertThat(Format.of(Path.of("run.d", "page.html"))).isEqualTo(Format.HTML);
        assertThat(Format.of(Path.of("page.MD"))).isEqualTo(Format.MARKDOWN);
        assertThat(Format.of(Path.of("page.html", "page"))).isNull();
    }
}
