package io.stampedeguard.testbed.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StandstillsTest {
    @Test
    void timeIsCountedOnceHoweverManyStoodStill() {
        Standstills standstills = new Standstills();
        standstills.add(30, 40);
        standstills.add(5, 12);
        standstills.add(10, 20);
        standstills.add(11, 15);

        assertThat(standstills.runningMicros(0, 100)).isEqualTo(100 - 15 - 10);
        assertThat(standstills.runningMicros(12, 35)).isEqualTo(10);
        assertThat(standstills.runningMicros(31, 39)).isZero();
        assertThat(standstills.runningMicros(50, 60)).isEqualTo(10);
        assertThat(standstills.longestMicros()).isEqualTo(10);
        assertThat(new Standstills().longestMicros()).isZero();
    }

    @Test
    void whatEndedEarlierIsNoLongerToldAndOtherProcessesAreAdded() {
        Standstills other = new Standstills();
        other.add(10, 20);
        other.add(18, 25);
        other.add(30, 37);
        Standstills standstills = new Standstills();
        standstills.addAll(other.encode());

        assertThat(standstills.lengthsMicros(0)).containsExactly(10L, 7L, 7L);
        assertThat(standstills.lengthsMicros(20)).containsExactly(7L, 7L);
        assertThat(standstills.lengthsMicros(37)).isEmpty();
    }

    @Test
    void whatDoesNotAnswerStandsStill() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answers = new CountDownLatch(1);
        try (StandstillMeter meter = StandstillMeter.start(Duration.ofMillis(2), () -> {
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
