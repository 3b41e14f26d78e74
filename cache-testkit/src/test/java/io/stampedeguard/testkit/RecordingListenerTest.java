package io.stampedeguard.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.BreakerState;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.OriginState;
import org.junit.jupiter.api.Test;

final class RecordingListenerTest {
    private final RecordingListener listener = new RecordingListener();

    @Test
    void outcomesAreRecordedInOrderAndByKind() {
        listener.onEvent("products", EventType.STORE_STALE);
        listener.onEvent("products", new CacheEvent.Measured(EventType.LOAD_STORED, 1));
        listener.onRead("products", AnswerSource.STALE);
        listener.onRead("products", AnswerSource.NEAR);
        listener.onEvent("products", OriginState.NO_EARLY_REFRESH);

        assertThat(listener.events())
                .containsExactly(
                        EventType.STORE_STALE,
                        EventType.LOAD_STORED,
                        AnswerSource.STALE,
                        AnswerSource.NEAR,
                        OriginState.NO_EARLY_REFRESH);
        assertThat(listener.events(AnswerSource.class)).containsExactly(AnswerSource.STALE, AnswerSource.NEAR);
        assertThat(listener.count(AnswerSource.STALE)).isEqualTo(1);
        assertThat(listener)
                .hasToString("RecordingListener{AnswerSource.NEAR=1, AnswerSource.STALE=1, EventType.LOAD_STORED=1,"
                        + " EventType.STORE_STALE=1, OriginState.NO_EARLY_REFRESH=1}");
    }

    @Test
    void figuresOfEventsAreRecorded() {
        Exception fault = new Exception("fault");
        listener.onEvent("products", new CacheEvent.Fault(FaultSource.STORE, fault));
        listener.onEvent("products", new CacheEvent.Measured(EventType.STALE, 1_500));
        listener.onEvent("products", new CacheEvent.Measured(EventType.COOL_DOWN, 200));
        listener.onEvent("products", new CacheEvent.Measured(EventType.COOL_DOWN, 400));
        listener.onEvent("products", BreakerState.OPEN);
        listener.onEvent("products", new CacheEvent.Advice(EventType.ADVICE_STORE_TOO_SMALL, "raise it"));

        assertThat(listener.faults()).containsExactly(fault);
        assertThat(listener.events())
                .containsExactly(
                        FaultSource.STORE,
                        EventType.STALE,
                        EventType.COOL_DOWN,
                        EventType.COOL_DOWN,
                        BreakerState.OPEN,
                        EventType.ADVICE_STORE_TOO_SMALL);
        assertThat(listener.amounts(EventType.STALE)).containsExactly(1_500L);
        assertThat(listener.amounts(EventType.COOL_DOWN)).containsExactly(200L, 400L);
        assertThat(listener.amounts(EventType.STORED)).isEmpty();
    }

    @Test
    void eventsOfOtherThreadsCanBeAwaited() throws InterruptedException {
        new Thread(() -> {
                    listener.onEvent("products", new CacheEvent.Measured(EventType.LOAD_STORED, 1));
                    listener.onEvent("products", new CacheEvent.Measured(EventType.LOAD_STORED, 1));
                })
                .start();

        listener.await(EventType.LOAD_STORED, 2);

        assertThat(listener.count(EventType.LOAD_STORED)).isEqualTo(2);
    }
}
