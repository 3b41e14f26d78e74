package io.stampedeguard.benchmarks.result;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The results of all rounds of one workload. <em>Immutable.</em>
 *
 * @param all the results, in the order of the rounds
 */
public record Results(List<Result> all) {
    /**
     * The peer and the set-up of a series of rounds.
     *
     * @param peer the name of the peer
     * @param config the name of the set-up
     */
    public record Place(String peer, String config) {}

    /**
     * Copies the results.
     *
     * @param all the results, in the order of the rounds
     */
    public Results {
        all = List.copyOf(all);
    }

    /**
     * Returns a figure over all rounds.
     *
     * @param peer the name of the peer
     * @param config the name of the set-up
     * @param figure the name of the figure
     * @return its spread, or {@code null} if there is no such figure
     */
    public @Nullable Spread spread(String peer, String config, String figure) {
        List<Number> numbers = measured(peer, config, figure)
                .map(result -> value(result, figure))
                .toList();
        return numbers.isEmpty() ? null : Spread.of(numbers);
    }

    /**
     * Returns the ratios of a figure of two series of rounds, for each round separately: a slowdown of the whole
     * machine then affects both.
     *
     * @param dividend the series whose figure is divided
     * @param divisor the series by whose figure it is divided
     * @param figure the name of the figure
     * @return the spread of the ratios, or {@code null} if there is no round of both
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
