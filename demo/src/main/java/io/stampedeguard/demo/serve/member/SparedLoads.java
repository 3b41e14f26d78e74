package io.stampedeguard.demo.serve.member;

import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.stampedeguard.demo.serve.figures.Count;
import io.stampedeguard.demo.serve.figures.Counts;
import io.stampedeguard.event.AnswerSource;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * The loads that the guarded cache spared its callers, and its answers from the near cache, from its own meters; the plain cache
 * has none. For one thread.
 */
final class SparedLoads {
    private static final Set<AnswerSource> SAVED = EnumSet.of(
            AnswerSource.STALE,
            AnswerSource.COALESCED,
            AnswerSource.FILTERED,
            AnswerSource.INVALID,
            AnswerSource.NEGATIVE,
            AnswerSource.NEAR_DEGRADED);

    private final MeterRegistry meters;
    private long staleBefore;
    private long nearBefore;
    private long savedBefore;

    SparedLoads(MeterRegistry meters) {
        this.meters = meters;
    }

    /** Adds what there was since the last call. */
    void addTo(Counts counts) {
        long stale = lookups(AnswerSource.STALE);
        long saved = SAVED.stream().mapToLong(this::lookups).sum();
        long near = lookups(AnswerSource.NEAR) + lookups(AnswerSource.NEAR_DEGRADED);
        counts.add(Count.STALE, stale - staleBefore);
        counts.add(Count.NEAR, near - nearBefore);
        counts.add(Count.SAVED, saved - savedBefore);
        staleBefore = stale;
        nearBefore = near;
        savedBefore = saved;
    }

    private long lookups(AnswerSource answer) {
        double sum = 0;
        for (Meter meter : meters.find("cache.stampede.lookups")
                .tag("answer", answer.name().toLowerCase(Locale.ROOT))
                .meters()) {
            for (Measurement measurement : meter.measure()) {
                sum += measurement.getValue();
            }
        }
        return (long) sum;
    }
}
