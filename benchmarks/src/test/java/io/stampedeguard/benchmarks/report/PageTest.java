package io.stampedeguard.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The page of a run of which a few lines were recorded. */
class PageTest {
    private static final List<String> LINES = """
            {"workload":"W3","peer":"guarded","config":"1x256","round":1,"loads":1,"tailMs":8.000,"redisCommands":20,"errors":0}
            {"workload":"W3","peer":"caffeine","config":"1x256","round":1,"loads":1,"tailMs":8.000,"redisCommands":0,"errors":0}
            {"workload":"W3","peer":"guarded","config":"1x256","round":2,"loads":1,"tailMs":9.000,"redisCommands":22,"errors":0}
            {"workload":"W3","peer":"caffeine","config":"1x256","round":2,"loads":1,"tailMs":6.000,"redisCommands":0,"errors":0}
            {"workload":"W3","peer":"redisson-lock","config":"1x256","round":1,"failed":"no answer <after> 180 s"}
            {"workload":"W10","peer":"guarded","config":"killed","round":1,"second":0,"phase":"before","gets":900,"loads":0,"p99Ms":1.5,"errors":0}
            {"workload":"W10","peer":"guarded","config":"killed","round":1,"second":1,"phase":"fault","gets":450,"loads":9,"p99Ms":3.0,"errors":0,"breaker":"OPEN"}
            {"workload":"W10","peer":"guarded","config":"killed","round":1,"getsRatio":0.500,"loadsPerSecond":9.000,"errors":0}
            """.lines().toList();

    private static final Map<String, String> FACTS = facts();

    private final String markdown = Page.of(Page.Format.MARKDOWN, FACTS, LINES);
    private final String page = Page.of(Page.Format.HTML, FACTS, LINES);

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
    void thePageIsSelfContainedAndTheSameForTheSameLines() {
        assertThat(page)
                .startsWith("<!DOCTYPE html>")
                .endsWith("</html>\n")
                .doesNotContain("<script", "<link", "src=", "href=", "url(")
                .isEqualTo(Page.of(Page.Format.HTML, FACTS, LINES));
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
                .isEqualTo(Page.of(Page.Format.MARKDOWN, FACTS, LINES));
    }

    @Test
    void theNameOfTheFileDecidesTheFormat() {
        assertThat(Page.Format.of(Path.of("run.d", "page.html"))).isEqualTo(Page.Format.HTML);
        assertThat(Page.Format.of(Path.of("page.MD"))).isEqualTo(Page.Format.MARKDOWN);
        assertThat(Page.Format.of(Path.of("page.html", "page"))).isNull();
    }
}
