package io.stampedeguard.benchmarks.report;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.benchmarks.result.Result;
import io.stampedeguard.benchmarks.result.Results;
import io.stampedeguard.benchmarks.result.Second;
import io.stampedeguard.benchmarks.result.Spread;
import io.stampedeguard.benchmarks.workload.Workload;
import io.stampedeguard.benchmarks.workload.Workloads;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A run: where and how it was made, the set-up of each peer, and what was measured. All that is shown of a run is made from this;
 * {@link HtmlPage} contains it as JSON, with the names of the components.
 */
public record Report(Map<String, String> facts, Map<String, String> peers, List<Section> workloads) {
    /** One workload, with a table for each of its set-ups that was measured. */
    public record Section(String name, String about, List<Table> tables, List<Note> notes) {
        public static Section of(Workload workload, Results results) {
            List<Table> tables = workload.configs().stream()
                    .map(config -> Table.of(config, results))
                    .filter(table -> !table.rows().isEmpty())
                    .toList();
            return new Section(workload.name(), workload.about(), tables, Note.all(workload, results));
        }
    }

    /** The figures of one set-up, and each second of the last round of a peer, if single seconds were measured. */
    public record Table(String config, List<String> figures, List<Row> rows, Map<String, List<Second>> seconds) {
        static Table of(String config, Results results) {
            List<Result> rounds = results.all().stream()
                    .filter(result -> result.config().equals(config))
                    .toList();
            List<String> figures = rounds.stream()
                    .flatMap(result -> result.figures().values().keySet().stream())
                    .distinct()
                    .toList();
            List<Row> rows = rounds.stream()
                    .map(Result::peer)
                    .distinct()
                    .map(peer -> Row.of(peer, config, figures, results))
                    .toList();
            Map<String, List<Second>> seconds = new LinkedHashMap<>();
            results.seconds().forEach((place, each) -> {
                if (place.config().equals(config)) {
                    seconds.put(place.peer(), each);
                }
            });
            return new Table(config, figures, rows, seconds);
        }

        /** Returns the table as words, the header first. */
        public List<List<String>> cells() {
            Stream<List<String>> header = Stream.of(cells("peer", "rounds", figures.stream()));
            return Stream.concat(header, rows.stream().map(row -> row.cells(figures)))
                    .toList();
        }

        private static List<String> cells(String peer, String rounds, Stream<String> figures) {
            return Stream.concat(Stream.of(peer, rounds), figures).toList();
        }
    }

    /** The figures of one peer, by their names; one that it does not have is missing. */
    public record Row(String peer, int rounds, Map<String, Spread> figures) {
        static Row of(String peer, String config, List<String> figures, Results results) {
            Map<String, Spread> spreads = new LinkedHashMap<>();
            for (String figure : figures) {
                Spread spread = results.spread(peer, config, figure);
                if (spread != null) {
                    spreads.put(figure, spread);
                }
            }
            return new Row(peer, results.rounds(peer, config), spreads);
        }

        List<String> cells(List<String> names) {
            return Table.cells(peer, Integer.toString(rounds), names.stream().map(this::cell));
        }

        private String cell(String name) {
            Spread spread = figures.get(name);
            return spread == null ? "–" : spread.words();
        }
    }

    /** What became of a goal or of a peer, in one line. */
    public record Note(Tone tone, String text) {
        static List<Note> all(Workload workload, Results results) {
            List<Note> notes = new ArrayList<>();
            results.failures()
                    .forEach((place, reason) -> notes.add(new Note(
                            Tone.FAILED, "failed (%s, %s): %s".formatted(place.peer(), place.config(), reason))));
            for (Goal goal : workload.goals()) {
                String verdict = goal.verdict(results);
                if (verdict != null) {
                    notes.add(new Note(verdict.endsWith("MISSED") ? Tone.MISSED : Tone.REACHED, verdict));
                }
            }
            return notes;
        }
    }

    /** What a note is about. */
    public enum Tone {
        FAILED,
        MISSED,
        REACHED
    }

    /**
     * Creates a report.
     *
     * @param facts where and how the run was made, by name
     * @param results the results of each workload, by its name
     */
    public static Report of(Map<String, String> facts, Map<String, Results> results) {
        List<Section> sections = Workloads.ALL.stream()
                .filter(workload -> results.containsKey(workload.name()))
                .map(workload -> Section.of(workload, requireNonNull(results.get(workload.name()))))
                .toList();
        return new Report(facts, setUps(results), sections);
    }

    private static Map<String, String> setUps(Map<String, Results> results) {
        Map<String, String> known = Peers.ALL.stream().collect(Collectors.toMap(PeerKind::name, PeerKind::setUp));
        List<String> present =
                results.values().stream().flatMap(Results::peers).distinct().toList();
        Map<String, String> setUps = new LinkedHashMap<>();
        Peers.names().stream()
                .filter(present::contains)
                .forEach(peer -> setUps.put(peer, known.getOrDefault(peer, "its module is not on the class path")));
        return setUps;
    }
}
