package io.stampedeguard.metrics.internal.advice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a histogram with few buckets can report about the recorded loads. */
final class LoadTimesTest {
    private final LoadTimes times = new LoadTimes();

    private void add(int calls, long millis) {
        for (int i = 0; i < calls; i++) {
            times.add(TimeUnit.MILLISECONDS.toNanos(millis));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {10, 99, 1_780, 2_000, 29_000})
    void tellsWhatItHasSeenOrAtMostAFifthLess(long millis) {
        add(100, millis);

        assertThat(times.seen().millisAt(0.99)).isLessThanOrEqualTo(millis).isGreaterThan((long) (millis * 0.8) - 1);
    }

    @Test
    void aMillionQuickCallsDoNotHideLaterSlowOnes() {
        add(1_000_000, 5);

        add(50, 3_000);

        assertThat(times.seen().millisAt(0.99)).isGreaterThan(2_000);
    }

    @Test
    void slowCallsAreForgottenAfterSomeThousandQuickOnes() {
        add(500, 3_000);

        add(8_000, 5);

        assertThat(times.seen().millisAt(0.99)).isLessThanOrEqualTo(5);
    }

    @Test
    void neverTellsMoreThanItHasSeenThoughCountsAreHalvedMeanwhile() throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        Thread loads = new Thread(() -> {
            while (!over.get()) {
                add(1_000, 5);
            }
        });
        loads.start();
        try {
            for (int look = 0; look < 200_000; look++) {
                assertThat(times.seen().millisAt(0.99)).isLessThanOrEqualTo(5);
            }
        } finally {
            over.set(true);
            loads.join();
        }
    }

    @Test
    void countsTheLastOnesOnly() {
        add(1_400, 5);

        assertThat(times.calls()).isEqualTo(1_400);
        assertThat(times.seen().counted()).isEqualTo(900);
    }
}
