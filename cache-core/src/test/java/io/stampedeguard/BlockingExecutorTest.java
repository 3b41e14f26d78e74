package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.VirtualTime;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** An executor of loaders that blocks its submitters, as pools do whose handler of rejections waits for room in the queue. */
final class BlockingExecutorTest {
    @AutoClose
    private final Fleet fleet = new Fleet(0, CachePolicy.defaults());

    private final VirtualTime time = fleet.time();
    private final Callers callers = fleet.callers();
    private final Origin origin = fleet.origin();
    private final CountDownLatch blocks = new CountDownLatch(1);

    /** Blocks until it is interrupted. */
    private void block(Runnable task, Interrupted then) {
        blocks.countDown();
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            if (then == Interrupted.REJECTS_THE_TASK) {
                throw new RejectedExecutionException("interrupted while the queue was full", e);
            }
            Thread.currentThread().interrupt();
            if (then == Interrupted.RUNS_THE_TASK) {
                task.run();
            }
        }
    }

    /** What an executor does that is interrupted while it blocks. */
    private enum Interrupted {
        REJECTS_THE_TASK,
        FORGETS_THE_TASK,
        RUNS_THE_TASK
    }

    static Stream<Arguments> formsAndExecutors() {
        return Stream.of(FormOfGet.values())
                .filter(form -> form != FormOfGet.GET_ASYNC) // an asynchronous loader does not use the executor
                .flatMap(form -> Stream.of(Interrupted.values()).map(does -> Arguments.of(form, does)));
    }

    @ParameterizedTest
    @MethodSource("formsAndExecutors")
    void loadRunsOnTheThreadThatIsBlocked(FormOfGet form, Interrupted does) throws Exception {
        try (StampedeGuardedCache<String, String> cache = cacheOn(task -> block(task, does))) {
            Callers.Call<String> leader = callers.call(() -> {
                String row = form.askChecked(cache, origin);
                return row + (Thread.interrupted() ? ", interrupted" : "");
            });
            blocks.await();
            time.advance(ofMillis(50));

            assertThat(leader.result()).isEqualTo("one");
        }
        assertThat(origin.reads()).isOne();
    }

    /** The executor runs the load on its own thread, or on that of the caller. */
    @ForEach
    void loadThatTheExecutorHasBegunIsNeitherBegunAgainNorInterrupted(boolean onTheCallersThread) throws Exception {
        origin.close();
        try (StampedeGuardedCache<String, String> cache =
                cacheOn(onTheCallersThread ? Runnable::run : task -> new Thread(task).start())) {
            Callers.Call<String> leader = callers.call(() -> cache.get("k"));
            until(() -> origin.running() == 1);
            until(() -> onTheCallersThread || time.waiting() == 1);
            time.advance(ofMillis(50));
            until(() -> onTheCallersThread || time.waiting() == 1);
            origin.open();

            assertThat(leader.result()).isEqualTo("one");
        }
        assertThat(origin.reads()).isOne();
    }

    @Test
    void reloadRunsOnTheThreadThatIsBlocked() throws Exception {
        try (StampedeGuardedCache<String, String> cache = cacheOn(task -> block(task, Interrupted.REJECTS_THE_TASK))) {
            cache.put("k", "put");
            time.advance(ofMinutes(5));
            assertThat(cache.get("k")).isEqualTo("put");
            blocks.await();

            time.advance(ofMillis(50));

            until(() -> cache.reloading() == 0);
            assertThat(cache.get("k", key -> "not called")).isEqualTo("one");
        }
    }

    private StampedeGuardedCache<String, String> cacheOn(Executor executor) {
        return fleet.builder("cache").loaderExecutor(executor).build();
    }
}
