package io.stampedeguard.redis.history;

import io.stampedeguard.testkit.HistoryChecker;
import io.stampedeguard.testkit.Operation;
import io.stampedeguard.testkit.Operation.Ending;
import java.time.Duration;
import java.util.List;

/**
 * How far near caches were behind the shared store.
 *
 * @param behind how many of their answers would have been wrong from the shared store
 * @param longest from the return of an invalidation to the beginning of a get that did not see it, at least
 */
record NearLag(long behind, Duration longest) {
    static NearLag of(List<Operation> history, Ticks ticks) {
        List<Duration> lags = HistoryChecker.check(history).stream()
                .filter(found -> found.get().ending() == Ending.NEAR)
                .map(found ->
                        ticks.between(found.invalidation().end(), found.get().begin()))
                .toList();
        return new NearLag(lags.size(), lags.stream().max(Duration::compareTo).orElse(Duration.ZERO));
    }

    /** Returns both. */
    @Override
    public String toString() {
        return "%d answers of near caches behind, by up to %d ms".formatted(behind, longest.toMillis());
    }
}
