package io.stampedeguard.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.benchmarks.result.Result;
import io.stampedeguard.benchmarks.result.Results;
import io.stampedeguard.benchmarks.result.Results.Place;
import io.stampedeguard.benchmarks.result.Second;
import io.stampedeguard.testbed.measure.Figures;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The page of a run with a few results. */
class PageTest {
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

    private static final Map<String, String> FACTS = facts();

    private final String markdown = Page.of(Page.Format.MARKDOWN, FACTS, RESULTS);
    private final String page = Page.of(Page.Format.HTML, FACTS, RESULTS);

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
    void theFactsAndTheSetUpOfEachPeerAreShown() {
        assertThat(page)
                .contains("<th>command</th><td class=\"words\">./stampede bench --workloads W3,W10 &amp; more</td>")
                .contains("<th>commit</th><td class=\"words\">0123456789ab</td>")
                .contains("<th>machine</th><td class=\"words\">2 × processor, 24 GiB</td>")
                .containsPattern(
                        "<th>guarded</th><td class=\"words\">.*: RedisStore.connect, default options and policy</td>")
                .containsPattern("<th>caffeine</th><td class=\"words\">caffeine-[0-9.]+ in each process")
                .contains("<th>redisson-lock</th>")
                .doesNotContain("<th>jetcache-remote</th>");
    }

    @Test
    void aTableHasTheMedianAndTheRangeOfEachFigure() {
        assertThat(page)
                .contains("<h2 id=\"W3\">W3: cold stampede")
                .contains("<h3>1x256</h3>")
                .contains("<tr><th>guarded</th><td class=\"number\">2</td><td class=\"number\">1</td>"
                        + "<td class=\"number\">8.5 (8–9)</td><td class=\"number\">21 (20–22)</td>"
                        + "<td class=\"number\">0</td></tr>")
                .contains(
                        "<tr><th>caffeine</th><td class=\"number\">2</td><td class=\"number\">1</td>"
                                + "<td class=\"number\">7 (6–8)</td><td class=\"number\">0</td><td class=\"number\">0</td></tr>");
    }

    @Test
    void aBarReachesTheMedian() {
        assertThat(page)
                .contains("<title>tailMs</title>")
                .contains("<rect class=\"ours\" x=\"170\" y=\"34.0\" width=\"358.9\" height=\"16\"/>")
                .contains("<rect class=\"bar\" x=\"170\" y=\"60.0\" width=\"295.6\" height=\"16\"/>");
    }

    @Test
    void goalsAndFailuresAreShownWithTheReason() {
        assertThat(page)
                .contains("<p class=\"failed\">failed (redisson-lock, 1x256): no answer &lt;after&gt; 180 s</p>")
                .contains("<p class=\"reached\">goal (guarded, 1x256): loads at most 1 in every round: 1, reached</p>")
                .containsPattern(
                        "<p class=\"missed\">goal \\(guarded, 1x256\\): tailMs at most 1.10 .* 1.21, MISSED</p>");
    }

    @Test
    void singleSecondsAreCurvesOverTheShadeOfTheFault() {
        assertThat(page)
                .contains("<title>gets, each second</title>")
                .contains("d=\"M224.0,34.0 L544.0,109.0\"")
                .contains("<rect class=\"fault\" x=\"384.0\" y=\"34\" width=\"320.0\" height=\"150\"/>");
    }

    @Test
    void pageIsSelfContainedAndTheSameForTheSameResults() {
        assertThat(page)
                .startsWith("<!DOCTYPE html>")
                .endsWith("</html>\n")
                .doesNotContain("<script", "<link", "src=", "href=", "url(")
                .isEqualTo(Page.of(Page.Format.HTML, FACTS, RESULTS));
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
                .isEqualTo(Page.of(Page.Format.MARKDOWN, FACTS, RESULTS));
    }

    @Test
    void theNameOfTheFileDecidesTheFormat() {
        assertThat(Page.Format.of(Path.of("run.d", "page.html"))).isEqualTo(Page.Format.HTML);
        assertThat(Page.Format.of(Path.of("page.MD"))).isEqualTo(Page.Format.MARKDOWN);
        assertThat(Page.Format.of(Path.of("page.html", "page"))).isNull();
    }
}
