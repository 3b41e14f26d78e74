package io.stampedeguard.internal.observe;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.report.CacheStats;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** The listener that counts answers and loads of one cache, if its user wants that. <em>Thread-safe.</em> */
public final class StatsRecorder implements CacheListener {
    private final Map<AnswerSource, LongAdder> answers = new EnumMap<>(AnswerSource.class);
    private final LongAdder loads = new LongAdder();
    private final LongAdder failedLoads = new LongAdder();

    public StatsRecorder() {
        for (AnswerSource source : AnswerSource.values()) {
            answers.put(source, new LongAdder());
        }
    }

    @Override
    public void onRead(String cache, AnswerSource source) {
        requireNonNull(answers.get(source)).increment();
    }

    @Override
    public void onEvent(String cache, CacheEvent event) {
        switch (event.type()) {
            case LOAD_STORED, LOAD_FENCED, LOAD_NOT_STORED -> loads.increment();
            case LOAD_FAILED, LOAD_TIMED_OUT -> {
                failedLoads.increment();
                loads.increment();
            }
            default -> {}
        }
    }

    /** Returns the present numbers, with those that are read elsewhere. */
    public CacheStats snapshot(CacheGauges gauges) {
        Map<AnswerSource, Long> counts = new EnumMap<>(AnswerSource.class);
        answers.forEach((source, count) -> counts.put(source, count.sum()));
        long failures = failedLoads.sum(); // first: never more than all loads
        return new CacheStats(
                Collections.unmodifiableMap(counts), loads.sum(), failures, gauges.waiting(), gauges.queuedChanges());
    }
}
