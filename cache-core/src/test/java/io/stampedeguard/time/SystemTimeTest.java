package io.stampedeguard.time;

import static io.stampedeguard.testkit.Fleet.until;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class SystemTimeTest {
    private final TimeSource time = TimeSource.system();

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void stoppedTaskDoesNotRun() {
        AtomicInteger run = new AtomicInteger();
        AtomicInteger others = new AtomicInteger();
        CountDownLatch stopped = new CountDownLatch(1);
        time.schedule(0, () -> await(stopped));
        time.schedule(MILLISECONDS.toNanos(5), run::incrementAndGet).stop();
        time.schedule(MILLISECONDS.toNanos(50), others::incrementAndGet);
        stopped.countDown();

        until(() -> others.get() == 1);

        assertThat(run).hasValue(0);
    }

    @Test
    void tasksThatThrowOrAreNeverDueDelayNoOther() {
        AtomicInteger run = new AtomicInteger();
        TimeSource.Timer never = time.schedule(Long.MAX_VALUE, run::decrementAndGet);
        time.schedule(-1, () -> {
            throw new StackOverflowError("thrown by the test");
        });
        time.schedule(0, run::incrementAndGet);

        until(() -> run.get() == 1);

        never.stop();
    }

    @Test
    void eachOfManyTasksOfManyThreadsRunsOnce() throws Exception {
        int tasks = 20_000;
        AtomicInteger run = new AtomicInteger();
        AtomicInteger stopped = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(() -> {
                for (int task = 0; task < tasks; task++) {
                    time.schedule(task % 7 * 100_000L, run::incrementAndGet);
                    time.schedule(HOURS.toNanos(1), stopped::incrementAndGet).stop();
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }

        until(() -> run.get() == 4 * tasks);

        assertThat(stopped).hasValue(0);
    }
}
