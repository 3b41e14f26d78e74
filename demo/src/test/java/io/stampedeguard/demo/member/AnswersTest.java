package io.stampedeguard.demo.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import org.junit.jupiter.api.Test;

class AnswersTest {
    private final Answers answers = new Answers(false);

    @Test
    void aGetThatWaitsTwiceCountsOnce() {
        answers.onEvent("products", new CacheEvent.Measured(EventType.WAIT_RETRY, 1));
        answers.loading();
        answers.answered();
        answers.answered();

        assertThat(answers.waited()).isEqualTo(1);
        assertThat(answers.stale()).isZero();
    }

    @Test
    void aStaleAnswerCountsAndAFreshOneDoesNot() {
        answers.onEvent("products", EventType.STORE_STALE);
        answers.answered();
        answers.onEvent("products", EventType.STORE_FRESH);
        answers.answered();

        assertThat(answers.stale()).isEqualTo(1);
        assertThat(answers.waited()).isZero();
    }

    @Test
    void whatHappensBehindTheCallersIsNotCounted() throws Exception {
        Thread behind = new Thread(() -> {
            answers.onEvent("products", EventType.STORE_STALE);
            answers.loading();
        });
        behind.start();
        behind.join();
        answers.answered();

        assertThat(answers.waited()).isZero();
        assertThat(answers.stale()).isZero();
    }

    @Test
    void failedStoreCallsAreNoErrorsIfRedisIsStoppedDeliberately() {
        Answers outage = new Answers(true);
        outage.onEvent("products", new CacheEvent.Fault(FaultSource.STORE, new IllegalStateException("gone")));
        assertThat(outage.errors()).isZero();

        outage.onEvent("products", new CacheEvent.Fault(FaultSource.LOADER, new IllegalStateException("no database")));
        assertThat(outage.errors()).isEqualTo(1);
    }

    @Test
    void aFaultIsAnError() {
        answers.onEvent("products", new CacheEvent.Fault(FaultSource.STORE, new IllegalStateException("gone")));

        assertThat(answers.errors()).isEqualTo(1);
        assertThat(answers.firstError()).isEqualTo("IllegalStateException: gone");
    }
}
