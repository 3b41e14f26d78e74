package io.stampedeguard.benchmarks.workload;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of all rounds of one workload. <em>Immutable.</em>
 *
 * @param all one after the other, as they were run
 */
public record Results(List<Result> all) {
    /**
     * Takes a copy.
     *
     * @param all one after the other, as they were run
     */
    public Results {
        all = List.copyOf(all);
    }

    /**
     * Tells a figure over all rounds.
     *
     * @param peer whose
     * @param config in which set-up
     * @param figure the name of the figure
     * @return its spread, or {@code null} if there is no such figure
     */
    public @Nullable Spread spread(String peer, String config, String figure) {
        List<Number> numbers = all.stream()
                .filter(result -> result.peer().equals(peer) && result.config().equals(config))
                .filter(result -> result.figures().values().containsKey(figure))
                .map(result -> result.figures().values().get(figure))
                .toList();
        return numbers.isEmpty() ? null : Spread.of(numbers);
    }
}
