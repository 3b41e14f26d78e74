package io.stampedeguard.demo.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The files in {@code dashboards/}, read like their users read them. */
final class DashboardFiles {
    static final Path DIRECTORY = root().resolve("dashboards");
    static final Path ALERTS = DIRECTORY.resolve("prometheus-alerts.yml");
    static final Path ALERTS_TEST = DIRECTORY.resolve("prometheus-alerts-test.yml");
    static final Path SCRAPES = DIRECTORY.resolve("prometheus.yml");
    static final Path PAGE = root().resolve("docs/dashboard.md");
    private static final Pattern REPOSITORY = Pattern.compile("<repository\\.url(?:/>|>([^<]*)<)");

    private DashboardFiles() {}

    /** Tests run in the directory of their module. */
    private static Path root() {
        Path here = Path.of("").toAbsolutePath();
        return Files.isDirectory(here.resolve("dashboards")) ? here : here.getParent();
    }

    /** The address of the public repository, by the parent POM; empty if it has none. */
    static String repository() throws IOException {
        Matcher url = REPOSITORY.matcher(Files.readString(root().resolve("pom.xml")));
        assertThat(url.find()).isTrue();
        return url.group(1) == null ? "" : url.group(1).strip();
    }

    /** Returns whether a link leads to a page, or to a heading of it, of this repository. */
    static boolean leadsToAPage(String link) throws IOException {
        String start = repository().isEmpty() ? "" : repository() + "/blob/main/";
        String[] parts = link.substring(Math.min(start.length(), link.length())).split("#");
        Path page = root().resolve(parts[0]);
        return link.startsWith(start + "docs/")
                && Files.exists(page)
                && (parts.length == 1 || anchors(page).contains(parts[1]));
    }

    private static List<String> anchors(Path page) throws IOException {
        return Files.readAllLines(page).stream()
                .filter(line -> line.startsWith("##"))
                .map(line -> line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT))
                .map(heading -> heading.replaceAll("[^\\w -]", "").replace(' ', '-'))
                .toList();
    }

    static JsonNode dashboard() {
        return JsonMapper.shared().readTree(DIRECTORY.resolve("grafana-stampede.json"));
    }

    /** All panels; those of a collapsed row are in the row. */
    static List<JsonNode> panels() {
        return elements(dashboard().get("panels"))
                .flatMap(panel -> isRow(panel) ? elements(panel.get("panels")) : Stream.of(panel))
                .toList();
    }

    static List<JsonNode> rows() {
        return elements(dashboard().get("panels")).filter(DashboardFiles::isRow).toList();
    }

    static List<String> rowTitles() {
        return rows().stream().map(row -> row.get("title").asString()).toList();
    }

    private static boolean isRow(JsonNode panel) {
        return panel.get("type").asString().equals("row");
    }

    static List<Query> panelQueries() {
        return panels().stream().flatMap(DashboardFiles::queriesOf).toList();
    }

    static Stream<Query> queriesOf(JsonNode panel) {
        return elements(panel.get("targets"))
                .map(target -> new Query(
                        panel.get("title").asString(),
                        target.get("expr").asString(),
                        target.get("legendFormat").asString()));
    }

    static List<JsonNode> alerts() {
        return elements(YAMLMapper.shared().readTree(ALERTS).get("groups"))
                .flatMap(group -> elements(group.get("rules")))
                .toList();
    }

    static List<Query> alertQueries() {
        return alerts().stream()
                .map(alert -> new Query(
                        alert.get("alert").asString(), alert.get("expr").asString(), ""))
                .toList();
    }

    static List<Query> allQueries() {
        return Stream.concat(panelQueries().stream(), alertQueries().stream()).toList();
    }

    static Stream<JsonNode> elements(JsonNode array) {
        return array.valueStream();
    }
}
