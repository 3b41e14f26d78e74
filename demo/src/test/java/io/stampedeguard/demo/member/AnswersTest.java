package io.stampedeguard.demo.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.ReadOutcome;
import io.stampedeguard.event.WaitOutcome;
import org.junit.jupiter.api.Test;

class AnswersTest {
    private final Answers answers = new Answers(false);

    @Test
    void aGetThatWaitsTwiceCountsOnce() {
        answers.onWait("products", WaitOutcome.RETRY, 1);
        answers.loading();
        answers.answered();
        answers.answered();

        assertThat(answers.waited()).isEqualTo(1);
        assertThat(answers.stale()).isZero();
    }

    @Test
    void aStaleAnswerCountsAndAFreshOneDoesNot() {
        answers.onRead("products", ReadOutcome.STALE);
        answers.answered();
        answers.onRead("products", ReadOutcome.FRESH);
        answers.answered();

        assertThat(answers.stale()).isEqualTo(1);
        assertThat(answers.waited()).isZero();
    }

    @Test
    void whatHappensBehindTheCallersIsNotCounted() throws Exception {
        Thread behind = new Thread(() -> {
            answers.onRead("products", ReadOutcome.STALE);
            answers.loading();
        });
        behind.start();
        behind.join();
        answers.answered();

        assertThat(answers.waited()).isZero();
        assertThat(answers.stale()).isZero();
    }

    @Test
    void aStoreCallThatFailsIsNoErrorIfRedisIsStoppedDeliberately() {
        Answers outage = new Answers(true);
        outage.onFault("products", FaultSource.STORE, new IllegalStateException("gone"));
        assertThat(outage.errors()).isZero();

        outage.onFault("products", FaultSource.LOADER, new IllegalStateException("no database"));
        assertThat(outage.errors()).isEqualTo(1);
    }

    @Test
    void aFaultIsAnError() {
        answers.onFault("products", FaultSource.STORE, new IllegalStateException("gone"));

        assertThat(answers.errors()).isEqualTo(1);
        assertThat(answers.firstError()).isEqualTo("IllegalStateException: gone");
    }
}
