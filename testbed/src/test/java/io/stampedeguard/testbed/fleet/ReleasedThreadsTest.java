package io.stampedeguard.testbed.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReleasedThreadsTest {
    private final CompletableFuture<Long> release = new CompletableFuture<>();
    private final Queue<String> done = new ConcurrentLinkedQueue<>();

    @Test
    void workBeginsWithTheRelease() throws InterruptedException {
        ReleasedThreads threads =
                ReleasedThreads.start(3, this::start, release, i -> released -> done.add(i + " at " + released));
        threads.awaitReady();

        assertThat(threads.awaitEnd(0)).isFalse();
        assertThat(done).isEmpty();

        release.complete(42L);
        threads.awaitEnd();
        assertThat(done).containsExactlyInAnyOrder("0 at 42", "1 at 42", "2 at 42");
    }

    @Test
    void anInterruptedThreadHasEnded() throws InterruptedException {
        ReleasedThreads threads = ReleasedThreads.start(1, this::start, release, i -> released -> {
            throw new InterruptedException("as the test wants");
        });

        release.complete(42L);

        assertThat(threads.awaitEnd(60_000)).isTrue();
    }

    private void start(Runnable task) {
        Thread thread = new Thread(task, "released");
        thread.setDaemon(true);
        thread.start();
    }
}
