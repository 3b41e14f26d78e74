package io.stampedeguard.redis.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SerialExecutorTest {
    private static final int THREADS = 8;
    private static final int CALLS = 20_000;

    private final SerialExecutor calls = new SerialExecutor();

    /** The list is not thread-safe: calls made at the same time, or not visible to the next, would lose some. */
    @Test
    void callsAreMadeOneAfterAnotherInTheOrderAdded() throws InterruptedException {
        List<int[]> made = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        for (int thread = 0; thread < THREADS; thread++) {
            int own = thread;
            threads.execute(() -> {
                for (int i = 0; i < CALLS; i++) {
                    int number = i;
                    calls.add(() -> made.add(new int[] {own, number}));
                    calls.makeAll();
                }
            });
        }
        threads.shutdown();
        assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        assertThat(made).hasSize(THREADS * CALLS);
        int[] next = new int[THREADS];
        for (int[] call : made) {
            assertThat(call[1]).isEqualTo(next[call[0]]++);
        }
    }

    @Test
    void aCallMayPutInAnother() {
        List<String> made = new ArrayList<>();
        calls.add(() -> {
            calls.add(() -> made.add("second"));
            calls.makeAll();
            made.add("first");
        });
        calls.makeAll();
        assertThat(made).containsExactly("first", "second");
    }
}
