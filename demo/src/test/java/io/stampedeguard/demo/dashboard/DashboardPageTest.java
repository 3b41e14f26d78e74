package io.stampedeguard.demo.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** {@code docs/dashboard.md} contains each alert with its severity, and each row of the dashboard. */
class DashboardPageTest {
    private static final Pattern SEVERITY = Pattern.compile("(?m)^- \\*\\*(\\w+)\\*\\*, [^:]*: (.*)\\.$");

    @Test
    void listHasExactlyTheAlertsOfTheFileInOrder() throws IOException {
        Map<String, String> alerts = DashboardFiles.alerts().stream()
                .collect(Collectors.groupingBy(
                        alert -> alert.get("labels").get("severity").asString(),
                        Collectors.mapping(
                                alert -> "`" + alert.get("alert").asString() + "`", Collectors.joining(", "))));

        assertThat(SEVERITY.matcher(Files.readString(DashboardFiles.PAGE))
                        .results()
                        .collect(Collectors.toMap(line -> line.group(1), line -> line.group(2))))
                .hasSize(3)
                .isEqualTo(alerts);
    }

    @Test
    void alertsThatThePageNamesExist() throws IOException {
        List<String> alerts = DashboardFiles.alerts().stream()
                .map(alert -> alert.get("alert").asString())
                .toList();

        assertThat(matches(Pattern.compile("`(Stampede[A-Z]\\w+)`"), name -> name.group(1)))
                .isSubsetOf(alerts);
    }

    @Test
    void tableHasEachRowOfTheDashboard() throws IOException {
        String page = Files.readString(DashboardFiles.PAGE);

        assertThat(DashboardFiles.rowTitles())
                .isNotEmpty()
                .allSatisfy(row -> assertThat(page).contains("\n| " + row + " |"));
    }

    private static List<String> matches(Pattern pattern, Function<MatchResult, String> text) throws IOException {
        return pattern.matcher(Files.readString(DashboardFiles.PAGE))
                .results()
                .map(text)
                .toList();
    }
}
