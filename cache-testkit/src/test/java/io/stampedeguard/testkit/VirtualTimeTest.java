package io.stampedeguard.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class VirtualTimeTest {
    private final VirtualTime time = new VirtualTime();

    @Test
    void bothClocksAdvanceTogetherAndOnlyWhenTheyAreToldTo() {
        long wall = time.wallMillis();
        long monotonic = time.monotonicNanos();
        time.advance(Duration.ofSeconds(5));

        assertThat(time.wallMillis() - wall).isEqualTo(5_000);
        assertThat(time.monotonicNanos() - monotonic).isEqualTo(TimeUnit.SECONDS.toNanos(5));
    }

    @Test
    void dueTimersRunInTheOrderOfTheirTimes() {
        List<String> ran = new ArrayList<>();
        time.schedule(TimeUnit.SECONDS.toNanos(2), () -> ran.add("second"));
        time.schedule(TimeUnit.SECONDS.toNanos(1), () -> ran.add("first"));
        time.schedule(TimeUnit.SECONDS.toNanos(3), () -> ran.add("later"));
        time.schedule(TimeUnit.SECONDS.toNanos(1), () -> ran.add("stopped")).stop();
        time.advance(Duration.ofSeconds(2));

        assertThat(ran).containsExactly("first", "second");
        assertThat(time.timers()).isEqualTo(1);
    }

    @Test
    void waitingThreadsWaitForThisClock() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        CompletableFuture<Boolean> opened = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            try {
                opened.complete(time.await(never, TimeUnit.HOURS.toNanos(1)));
            } catch (InterruptedException e) {
                opened.completeExceptionally(e);
            }
        });
        waiting.start();
        time.awaitWaiting(1);
        time.advance(Duration.ofHours(1));

        assertThat(opened.get(1, TimeUnit.MINUTES)).isFalse();
        time.awaitWaiting(0);
    }
}
