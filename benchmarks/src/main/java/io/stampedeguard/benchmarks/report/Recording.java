package io.stampedeguard.benchmarks.report;

import io.stampedeguard.benchmarks.result.Figures;
import io.stampedeguard.benchmarks.result.Result;
import io.stampedeguard.benchmarks.result.Results;
import io.stampedeguard.benchmarks.result.Second;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The lines of one workload, as {@code --json} prints them. For one thread. */
final class Recording {
    private static final Set<String> WORDS =
            Set.of("workload", "peer", "config", "round", "second", "phase", "breaker", "failed");

    private final List<Result> results = new ArrayList<>();
    private final Map<Results.Place, String> failures = new LinkedHashMap<>();
    private final Map<Results.Place, List<Second>> seconds = new LinkedHashMap<>();

    private Recording() {}

    /** Returns the recordings of all workloads, by their names, in the order of the lines. */
    static Map<String, Recording> parse(List<String> lines) {
        Map<String, Recording> all = new LinkedHashMap<>();
        for (String text : lines) {
            JsonNode line = JsonMapper.shared().readTree(text);
            all.computeIfAbsent(line.get("workload").asString(), none -> new Recording())
                    .add(line);
        }
        return all;
    }

    private void add(JsonNode line) {
        Results.Place place = new Results.Place(
                line.get("peer").asString(), line.get("config").asString());
        if (line.has("failed")) {
            failures.put(place, line.get("failed").asString());
        } else if (line.has("second")) {
            seconds.computeIfAbsent(place, none -> new ArrayList<>()).add(second(line));
        } else {
            results.add(new Result(
                    line.get("workload").asString(),
                    place.peer(),
                    place.config(),
                    line.get("round").asInt(),
                    figures(line)));
        }
    }

    private static Second second(JsonNode line) {
        return new Second(
                line.get("second").asInt(), line.get("phase").asString(), textOf(line.get("breaker")), figures(line));
    }

    private static @Nullable String textOf(@Nullable JsonNode word) {
        return word == null ? null : word.asString();
    }

    private static Figures figures(JsonNode line) {
        Figures figures = Figures.none();
        for (String name : line.propertyNames()) {
            JsonNode value = line.get(name);
            if (!WORDS.contains(name)) {
                figures = value.isIntegralNumber()
                        ? figures.with(name, value.asLong())
                        : figures.withRate(name, value.asDouble());
            }
        }
        return figures;
    }

    Results results() {
        return new Results(results, failures);
    }

    /** Returns the names of the peers that took part, also of those that failed. */
    Stream<String> peers() {
        return Stream.concat(
                        results.stream().map(Result::peer),
                        failures.keySet().stream().map(Results.Place::peer))
                .distinct();
    }

    /** Returns the seconds of the last round of a series; empty if the workload has none. */
    List<Second> lastSeconds(Results.Place place) {
        List<Second> all = seconds.getOrDefault(place, List.of());
        int begin = 0;
        for (int i = 0; i < all.size(); i++) {
            begin = all.get(i).number() == 0 ? i : begin;
        }
        return all.subList(begin, all.size());
    }

    /** Returns the peers of which single seconds are recorded in a set-up. */
    List<String> peersWithSeconds(String config) {
        return seconds.keySet().stream()
                .filter(place -> place.config().equals(config))
                .map(Results.Place::peer)
                .toList();
    }
}
