package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.VirtualTime;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An executor of loaders that blocks its submitters, as pools do whose handler of rejections waits for room in the queue. */
final class BlockingExecutorTest {
    private final VirtualTime time = new VirtualTime();
    private final InMemoryStore store = InMemoryStore.create(time);
    private final Callers callers = new Callers();
    private final Origin origin = new Origin("one");
    private final CountDownLatch blocks = new CountDownLatch(1);

    /** Blocks until it is interrupted; then it rejects the task. */
    private final Executor full = task -> {
        if (isInterruptedWhileItBlocks()) {
            throw new RejectedExecutionException("interrupted while the queue was full");
        }
    };

    @AfterEach
    void close() {
        origin.open();
        callers.close();
    }

    private boolean isInterruptedWhileItBlocks() {
        blocks.countDown();
        try {
            new CountDownLatch(1).await();
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "GET_ASYNC") // an asynchronous loader does not use the executor
    void loadRunsOnTheThreadThatIsBlocked(FormOfGet form) throws Exception {
        assertLoads(full, form);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "GET_ASYNC")
    void executorMayForgetATaskThatItWasInterruptedWith(FormOfGet form) throws Exception {
        assertLoads(
                task -> {
                    if (isInterruptedWhileItBlocks()) {
                        Thread.currentThread().interrupt();
                    }
                },
                form);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "GET_ASYNC")
    void executorMayRunATaskThatItWasInterruptedWith(FormOfGet form) throws Exception {
        assertLoads(
                task -> {
                    if (isInterruptedWhileItBlocks()) {
                        Thread.currentThread().interrupt();
                        task.run();
                    }
                },
                form);
    }

    private void assertLoads(Executor executor, FormOfGet form) throws Exception {
        try (StampedeGuardedCache<String, String> cache = cacheOn(executor)) {
            Callers.Call<String> leader = callers.call(() -> {
                try {
                    String row = form.ask(cache, origin);
                    return row + (Thread.interrupted() ? ", interrupted" : "");
                } catch (Throwable e) {
                    throw new AssertionError(e);
                }
            });
            blocks.await();
            time.advance(ofMillis(50));

            assertThat(leader.result()).isEqualTo("one");
        }
        assertThat(origin.reads()).isOne();
    }

    @Test
    void reloadRunsOnTheThreadThatIsBlocked() throws Exception {
        try (StampedeGuardedCache<String, String> cache = cacheOn(full)) {
            cache.put("k", "put");
            time.advance(ofMinutes(5));
            assertThat(cache.get("k")).isEqualTo("put");
            blocks.await();

            time.advance(ofMillis(50));

            until(() -> cache.reloading() == 0);
            assertThat(cache.get("k", key -> "not called")).isEqualTo("one");
        }
    }

    @Test
    void loaderThatTheExecutorRunsOnTheCallersThreadIsNotInterrupted() throws Exception {
        origin.close();
        try (StampedeGuardedCache<String, String> cache = cacheOn(Runnable::run)) {
            Callers.Call<String> leader = callers.call(() -> cache.get("k"));
            until(() -> origin.running() == 1);
            time.advance(ofMillis(50));
            origin.open();

            assertThat(leader.result()).isEqualTo("one");
        }
        assertThat(origin.reads()).isOne();
    }

    private StampedeGuardedCache<String, String> cacheOn(Executor executor) {
        return StampedeGuardedCache.<String, String>builder("cache")
                .store(store)
                .codec(StringCodec.of())
                .loader(origin::read)
                .timeSource(time)
                .loaderExecutor(executor)
                .build();
    }
}
