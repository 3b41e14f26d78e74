package io.stampedeguard.metrics;

import io.stampedeguard.event.AnswerSource;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/**
 * How many answers there were, by where they came from. Counted apart from the registry: some registries forget what they
 * have published, so sums cannot be taken from their counters; and a hit in the near cache costs one addition, whatever the
 * registry. <em>Thread-safe.</em>
 */
final class AnswerCounts {
    private static final Set<AnswerSource> HITS = EnumSet.of(
            AnswerSource.NEAR,
            AnswerSource.NEAR_DEGRADED,
            AnswerSource.STORE,
            AnswerSource.STALE,
            AnswerSource.NEGATIVE);
    private static final Set<AnswerSource> OWN_LOADS = EnumSet.of(AnswerSource.LOADED, AnswerSource.FAILED);

    private final PerConstant<AnswerSource, LongAdder> counts =
            new PerConstant<>(AnswerSource.values(), source -> new LongAdder());

    void add(AnswerSource source) {
        counts.of(source).increment();
    }

    long of(AnswerSource source) {
        return counts.of(source).sum();
    }

    /** Those that the cache had an answer for. */
    long hits() {
        return sum(HITS);
    }

    long misses() {
        return sum(EnumSet.complementOf(EnumSet.copyOf(HITS)));
    }

    /** Those that took no load of the caller's own. */
    long saved() {
        return sum(EnumSet.complementOf(EnumSet.copyOf(OWN_LOADS)));
    }

    private long sum(Set<AnswerSource> sources) {
        return sources.stream().mapToLong(this::of).sum();
    }
}
