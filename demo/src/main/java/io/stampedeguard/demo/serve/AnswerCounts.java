package io.stampedeguard.demo.serve;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheListener;

/** Counts what the guarded cache spares its callers. <em>Thread-safe.</em> */
final class AnswerCounts implements CacheListener {
    private final Counts counts;

    AnswerCounts(Counts counts) {
        this.counts = counts;
    }

    @Override
    public void onAnswer(String cache, AnswerSource source) {
        switch (source) {
            case STALE -> {
                counts.add(Count.STALE);
                counts.add(Count.SAVED);
            }
            case WAITED, FILTERED, INVALID, NEGATIVE, NEAR_DEGRADED -> counts.add(Count.SAVED);
            case NEAR, STORE, LOADED, FAILED -> {
                // A hit in both fleets, or nothing was spared.
            }
        }
    }
}
