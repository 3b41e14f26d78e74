package io.stampedeguard.report;

import io.stampedeguard.event.AnswerSource;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * What one cache has done in this process since it was built. The numbers are read one after another, while others may change them.
 * <em>Immutable.</em>
 *
 * @param answers the number of answers from each source, one per key; unmodifiable
 * @param loads the number of loads that have ended, one per key, for callers and in the background
 * @param failedLoads the number of these that failed or were cut off at the {@code loadTimeout}
 * @param waiting the number of callers that wait now, for another caller's load or for a permit
 * @param queuedChanges the number of keys whose changes are queued now, until the store answers again
 */
public record CacheStats(
        Map<AnswerSource, Long> answers, long loads, long failedLoads, int waiting, int queuedChanges) {
    private static final Set<AnswerSource> HITS = EnumSet.of(
            AnswerSource.NEAR,
            AnswerSource.NEAR_DEGRADED,
            AnswerSource.STORE,
            AnswerSource.STALE,
            AnswerSource.NEGATIVE);

    /** {@return the number of answers, exceptions included} */
    public long requests() {
        return sum(EnumSet.allOf(AnswerSource.class));
    }

    /** {@return the number of answers that were cached: near, near_degraded, store, stale, and negative} */
    public long hits() {
        return sum(HITS);
    }

    /** {@return the number of answers for which the caller did not load: all except loaded and failed} */
    public long loadsSaved() {
        return sum(EnumSet.complementOf(EnumSet.of(AnswerSource.LOADED, AnswerSource.FAILED)));
    }

    private long sum(Set<AnswerSource> sources) {
        return sources.stream()
                .mapToLong(source -> answers.getOrDefault(source, 0L))
                .sum();
    }
}
