package io.stampedeguard.benchmarks.result;

import static java.util.Objects.requireNonNull;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The results of all rounds of one workload, in order, why series of rounds ended early, if they did, and the seconds of the last
 * round of each series, if they were measured. <em>Immutable.</em>
 */
public record Results(List<Result> all, Map<Place, String> failures, Map<Place, List<Second>> seconds) {
    /** The peer and the set-up of a series of rounds. */
    public record Place(String peer, String config) {}

    public Results {
        all = List.copyOf(all);
        failures = Collections.unmodifiableMap(new LinkedHashMap<>(failures));
        seconds = Collections.unmodifiableMap(new LinkedHashMap<>(seconds));
    }

    /** Creates results without failures and seconds. */
    public Results(List<Result> all) {
        this(all, Map.of(), Map.of());
    }

    /** Returns the names of the peers that took part, also of those that failed. */
    public Stream<String> peers() {
        return Stream.concat(
                        all.stream().map(Result::peer),
                        failures.keySet().stream().map(Place::peer))
                .distinct();
    }

    /** Returns the number of counted rounds of a series. */
    public int rounds(String peer, String config) {
        return all.stream()
                .filter(result -> result.peer().equals(peer) && result.config().equals(config))
                .mapToInt(Result::round)
                .max()
                .orElse(0);
    }

    /** Returns the spread of a figure over all rounds, {@code null} if there is no such figure. */
    public @Nullable Spread spread(String peer, String config, String figure) {
        List<Number> numbers = measured(peer, config, figure)
                .map(result -> value(result, figure))
                .toList();
        return numbers.isEmpty() ? null : Spread.of(numbers);
    }

    /**
     * Returns the spread of the ratios of a figure of two series of rounds, {@code null} if there is no round of both. The ratios
     * are those of each round separately: a slowdown of the whole machine then affects both.
     */
    public @Nullable Spread ratio(Place dividend, Place divisor, String figure) {
        Map<Integer, Number> theirs = measured(divisor.peer(), divisor.config(), figure)
                .collect(Collectors.toMap(Result::round, result -> value(result, figure)));
        List<Number> ratios = measured(dividend.peer(), dividend.config(), figure)
                .filter(result -> theirs.containsKey(result.round()))
                .map(result -> (Number) (value(result, figure).doubleValue()
                        / requireNonNull(theirs.get(result.round())).doubleValue()))
                .toList();
        return ratios.isEmpty() ? null : Spread.of(ratios);
    }

    private Stream<Result> measured(String peer, String config, String figure) {
        return all.stream()
                .filter(result -> result.peer().equals(peer) && result.config().equals(config))
                .filter(result -> result.figures().values().containsKey(figure));
    }

    private static Number value(Result result, String figure) {
        return requireNonNull(result.figures().values().get(figure));
    }
}
