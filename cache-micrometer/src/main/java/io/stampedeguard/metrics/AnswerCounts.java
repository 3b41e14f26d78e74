package io.stampedeguard.metrics;

import io.stampedeguard.event.AnswerSource;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/**
 * The number of answers by source. Counted outside the registry: some registries drop what they have published, so sums cannot
 * be computed from their counters. A hit in the near cache costs one addition, with any registry. <em>Thread-safe.</em>
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

    /** Returns the number of answers that the cache had. */
    long hits() {
        return sum(HITS);
    }

    long misses() {
        return sum(EnumSet.complementOf(EnumSet.copyOf(HITS)));
    }

    /** Returns the number of answers for which the caller did not load. */
    long saved() {
        return sum(EnumSet.complementOf(EnumSet.copyOf(OWN_LOADS)));
    }

    private long sum(Set<AnswerSource> sources) {
        return sources.stream().mapToLong(this::of).sum();
    }
}
