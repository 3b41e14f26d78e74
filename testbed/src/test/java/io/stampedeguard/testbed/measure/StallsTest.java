package io.stampedeguard.testbed.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StallsTest {
    @Test
    void timeIsCountedOnceHoweverManyStoodStill() {
        Stalls stalls = new Stalls();
        stalls.add(30, 40);
        stalls.add(5, 12);
        stalls.add(10, 20);
        stalls.add(11, 15);

        assertThat(stalls.runningMicros(0, 100)).isEqualTo(100 - 15 - 10);
        assertThat(stalls.runningMicros(12, 35)).isEqualTo(10);
        assertThat(stalls.runningMicros(31, 39)).isZero();
        assertThat(stalls.runningMicros(50, 60)).isEqualTo(10);
        assertThat(stalls.longestMicros()).isEqualTo(10);
        assertThat(new Stalls().longestMicros()).isZero();
    }

    @Test
    void whatEndedEarlierIsNoLongerToldAndOtherProcessesAreAdded() {
        Stalls other = new Stalls();
        other.add(10, 20);
        other.add(18, 25);
        other.add(30, 37);
        Stalls stalls = new Stalls();
        stalls.addAll(other.encode());

        assertThat(stalls.lengthsMicros(0)).containsExactly(10L, 7L, 7L);
        assertThat(stalls.lengthsMicros(20)).containsExactly(7L, 7L);
        assertThat(stalls.lengthsMicros(37)).isEmpty();
    }

    @Test
    void whatDoesNotAnswerStalls() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answers = new CountDownLatch(1);
        try (StallMeter meter = StallMeter.start(Duration.ofMillis(2), () -> {
            asked.countDown();
            awaitQuietly(answers);
        })) {
            asked.await();
            TimeUnit.MILLISECONDS.sleep(30);
            answers.countDown();
            for (int i = 0; i < 1_000 && meter.noted().longestMicros() == 0; i++) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            assertThat(meter.noted().longestMicros()).isGreaterThanOrEqualTo(30_000);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
