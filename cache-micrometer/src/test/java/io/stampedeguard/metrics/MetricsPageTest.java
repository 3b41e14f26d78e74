package io.stampedeguard.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code docs/metrics.md} and the javadoc name all existing meters, and no others. */
final class MetricsPageTest {
    private static final Pattern SERIES = Pattern.compile("\\bcache_\\w+");
    private static final Pattern MATCHER = Pattern.compile("(cache_\\w+)\\{(\\w+)=\"(\\w+)\"}");
    private static final Pattern BY = Pattern.compile("by \\(([\\w, ]+)\\)");

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final MicrometerListener listener = new MicrometerListener(registry);

    @BeforeEach
    void openACache() {
        listener.onOpen("products", FixedGauges.IDLE);
    }

    @Test
    void tableOfThePageIsOfTheMetersThatAreRegistered() throws IOException {
        Map<String, DocumentedMeter> registered = new TreeMap<>();
        registry.getMeters().forEach(meter -> registered.merge(meter.getId().getName(), seen(meter), this::both));

        assertThat(DocumentedMeter.ofThePage())
                .hasSizeGreaterThan(20)
                .containsExactlyInAnyOrderElementsOf(registered.values());
    }

    private DocumentedMeter seen(Meter meter) {
        Map<String, TreeSet<String>> tags = meter.getId().getTags().stream()
                .filter(tag -> !tag.getKey().equals("cache"))
                .collect(Collectors.toMap(
                        Tag::getKey, tag -> new TreeSet<>(Set.of(tag.getValue())), (a, b) -> a, TreeMap::new));
        return new DocumentedMeter(meter.getId().getName(), type(meter), tags);
    }

    private DocumentedMeter both(DocumentedMeter one, DocumentedMeter other) {
        one.tags().forEach((key, values) -> values.addAll(other.tags().get(key)));
        return one;
    }

    private static String type(Meter meter) {
        return meter.getId().getType() == Meter.Type.DISTRIBUTION_SUMMARY
                ? "summary"
                : meter.getId().getType().name().toLowerCase(Locale.ROOT);
    }

    @Test
    void queryOfItsTypeNamesEachMeter() throws IOException {
        for (DocumentedMeter meter : DocumentedMeter.ofThePage()) {
            assertIsShown(registry, meter.query(meter.type()));
        }
    }

    @Test
    void ratiosNameSeriesAndLabelsThatAreShown() throws IOException {
        assertThat(DocumentedMeter.ratios()).hasSize(4);
        for (String query : DocumentedMeter.ratios()) {
            assertIsShown(registry, query);
        }
    }

    @Test
    void percentilesNameSeriesAndLabelsThatAreShownWithHistograms() throws IOException {
        PrometheusMeterRegistry histograms = withHistograms();
        for (DocumentedMeter meter : DocumentedMeter.ofThePage()) {
            if (meter.type().equals("timer")) {
                assertIsShown(histograms, meter.query("histogram"));
            }
        }
    }

    private static PrometheusMeterRegistry withHistograms() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        MicrometerListener.builder(registry).histograms(true).build().onOpen("products", FixedGauges.IDLE);
        return registry;
    }

    private static void assertIsShown(PrometheusMeterRegistry registry, String query) {
        String shown = registry.scrape();
        assertThat(all(SERIES, query))
                .isNotEmpty()
                .allSatisfy(name -> assertThat(shown).as(query).containsPattern("(?m)^" + name + "\\{"));
        for (MatchResult matcher : MATCHER.matcher(query).results().toList()) {
            assertThat(shown)
                    .as(query)
                    .containsPattern(
                            "(?m)^%s\\{.*\\b%s=\"%s\"".formatted(matcher.group(1), matcher.group(2), matcher.group(3)));
        }
        for (String label : labels(query)) {
            String first = all(SERIES, query).get(0);
            assertThat(shown).as(query).containsPattern("(?m)^" + first + "\\{.*\\b" + label + "=\"");
        }
    }

    private static List<String> labels(String query) {
        List<String> labels = new ArrayList<>();
        BY.matcher(query)
                .results()
                .forEach(by -> labels.addAll(List.of(by.group(1).split(", "))));
        return labels;
    }

    @Test
    void tableOfTheJavadocIsThatOfThePage() throws IOException {
        assertThat(DocumentedMeter.ofTheJavadoc())
                .isEqualTo(DocumentedMeter.ofThePage().stream()
                        .collect(Collectors.toMap(DocumentedMeter::name, DocumentedMeter::type)));
    }

    /** "about 150 series" and "about 540": figures that cost an operator money. */
    @Test
    void numbersOfSeriesAreThoseOfThePage() {
        assertThat(series(registry)).isBetween(145L, 155L);
        assertThat(series(withHistograms())).isBetween(530L, 550L);
    }

    private static long series(PrometheusMeterRegistry registry) {
        return registry.scrape().lines().filter(line -> !line.startsWith("#")).count();
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(MatchResult::group).toList();
    }
}
