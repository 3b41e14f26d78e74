package io.stampedeguard.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.EventType;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.report.CacheStats;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;

final class StatsRecorderTest {
    private static final Set<EventType> FAILED = EnumSet.of(EventType.LOAD_FAILED, EventType.LOAD_TIMED_OUT);
    private static final Set<EventType> SUCCEEDED =
            EnumSet.of(EventType.LOAD_STORED, EventType.LOAD_FENCED, EventType.LOAD_NOT_STORED);

    @AutoClose
    private static final Fleet FLEET = new Fleet(1, CachePolicy.defaults());

    private final StatsRecorder recorder = new StatsRecorder();

    private CacheStats snapshot() {
        return recorder.snapshot(FLEET.gauges(0));
    }

    @ForEach
    void onlyTheEndOfALoaderIsALoad(EventType type) {
        recorder.onEvent("c", new CacheEvent.Measured(type, 17));

        int failures = FAILED.contains(type) ? 1 : 0;
        assertThat(snapshot().failedLoads()).isEqualTo(failures);
        assertThat(snapshot().loads()).isEqualTo(SUCCEEDED.contains(type) ? 1 : failures);
    }

    @ForEach
    void eachAnswerIsARequestAndNoOther(AnswerSource source) {
        recorder.onRead("c", source);

        CacheStats stats = snapshot();
        assertThat(stats.answers()).hasSize(AnswerSource.values().length).containsEntry(source, 1L);
        assertThat(stats.requests()).isEqualTo(1);
        assertThat(stats.hits())
                .isEqualTo(
                        switch (source) {
                            case NEAR, NEAR_DEGRADED, STORE, STALE, NEGATIVE -> 1;
                            default -> 0;
                        });
        assertThat(stats.loadsSaved())
                .isEqualTo(source == AnswerSource.LOADED || source == AnswerSource.FAILED ? 0 : 1);
    }
}
