package io.stampedeguard.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.BreakerState;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.LoadOutcome;
import io.stampedeguard.event.OriginState;
import io.stampedeguard.event.ReadOutcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class RecordingListenerTest {
    private final RecordingListener listener = new RecordingListener();

    @Test
    void outcomesAreRecordedInOrderAndByKind() {
        listener.onRead("products", ReadOutcome.STALE);
        listener.onLoad("products", LoadOutcome.STORED, 1);
        listener.onAnswer("products", AnswerSource.STALE);
        listener.onAnswer("products", AnswerSource.NEAR);
        listener.onOriginState("products", OriginState.NO_EARLY_REFRESH);

        assertThat(listener.events())
                .containsExactly(
                        ReadOutcome.STALE,
                        LoadOutcome.STORED,
                        AnswerSource.STALE,
                        AnswerSource.NEAR,
                        OriginState.NO_EARLY_REFRESH);
        assertThat(listener.events(AnswerSource.class)).containsExactly(AnswerSource.STALE, AnswerSource.NEAR);
        assertThat(listener.count(AnswerSource.STALE)).isEqualTo(1);
        assertThat(listener)
                .hasToString("RecordingListener{AnswerSource.NEAR=1, AnswerSource.STALE=1, LoadOutcome.STORED=1,"
                        + " OriginState.NO_EARLY_REFRESH=1, ReadOutcome.STALE=1}");
    }

    @Test
    void figuresOfEventsAreRecorded() {
        Exception fault = new Exception("fault");
        listener.onFault("products", FaultSource.STORE, fault);
        listener.onStale("products", 1_500);
        listener.onCoolDown("products", 200);
        listener.onStuckLoads("products", 3);
        listener.onQueuedChanges("products", 2);
        listener.onBreaker("products", BreakerState.OPEN);
        listener.onPrefetch("products", 100, 250);

        assertThat(listener.faults()).containsExactly(fault);
        assertThat(listener.events()).containsExactly(FaultSource.STORE, BreakerState.OPEN);
        assertThat(listener.staleAges()).containsExactly(Duration.ofMillis(1_500));
        assertThat(listener.coolDowns()).containsExactly(Duration.ofMillis(200));
        assertThat(listener.stuckLoads()).containsExactly(3);
        assertThat(listener.queuedChanges()).containsExactly(2);
        assertThat(listener.prefetched()).containsExactly("100 of 250");
    }

    @Test
    void eventsOfOtherThreadsCanBeAwaited() throws InterruptedException {
        new Thread(() -> {
                    listener.onLoad("products", LoadOutcome.STORED, 1);
                    listener.onLoad("products", LoadOutcome.STORED, 1);
                })
                .start();

        listener.await(LoadOutcome.STORED, 2);

        assertThat(listener.count(LoadOutcome.STORED)).isEqualTo(2);
    }
}
