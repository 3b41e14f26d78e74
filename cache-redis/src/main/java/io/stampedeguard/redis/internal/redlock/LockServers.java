package io.stampedeguard.redis.internal.redlock;

import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Independent servers, which are asked at the same time:
 *
 * <ol>
 *   <li>each question runs on a thread of its own; if none is left, on the caller's;
 *   <li>the caller waits until all have answered, but no longer than a limit;
 *   <li>an answer after the limit does not count, and its effect is reverted;
 *   <li>a failed or late server is still asked, but the caller does not wait for it until it has answered in time again, as
 *       long as the others are a quorum: a stalled server costs the limit once, not on every call.
 * </ol>
 *
 * <p><em>Thread-safe.</em>
 */
public final class LockServers {
    private static final int MOST_THREADS = 64;
    private static final long IDLE_SECONDS = 10;

    private final ExecutorService threads = new ThreadPoolExecutor(
            0, MOST_THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), LockServers::daemon);
    private final List<LockServer> servers;
    private final TimeSource time;
    private final Duration patience;

    public LockServers(List<LockStore> stores, TimeSource time, Duration patience) {
        this.servers = stores.stream()
                .map(store -> new LockServer(store, time, patience))
                .toList();
        this.time = time;
        this.patience = patience;
    }

    /**
     * Asks all servers.
     *
     * @param tooLate reverts the effect of an answer that comes too late
     * @throws InterruptedException if this thread was interrupted while it waited; missing answers are then too late
     */
    <T> QuorumResult<T> ask(Function<LockStore, T> question, Consumer<LockStore> tooLate) throws InterruptedException {
        List<LockServer> awaited = awaited();
        CountDownLatch over = new CountDownLatch(awaited.size());
        List<CompletableFuture<T>> answers = new ArrayList<>();
        for (LockServer server : servers) {
            CompletableFuture<T> answer = new CompletableFuture<>();
            answers.add(answer);
            if (awaited.contains(server)) {
                onAnotherThread(() -> server.ask(question, answer, tooLate, over::countDown), Runnable::run);
            } else {
                onAnotherThread(() -> server.ask(question, answer, tooLate, () -> {}), unasked -> {});
            }
        }
        TimeoutException late = new TimeoutException("no answer within " + patience.toMillis() + " ms");
        try {
            if (!time.await(over, patience.toNanos())) {
                for (int i = 0; i < answers.size(); i++) {
                    if (!answers.get(i).isDone()) {
                        servers.get(i).failed(late);
                    }
                }
            }
        } finally {
            answers.forEach(answer -> answer.completeExceptionally(late));
        }
        return QuorumResult.of(answers);
    }

    private List<LockServer> awaited() {
        List<LockServer> answering =
                servers.stream().filter(server -> !server.isFailing()).toList();
        return answering.size() > servers.size() / 2 ? answering : servers;
    }

    private void onAnotherThread(Runnable task, Consumer<Runnable> otherwise) {
        try {
            threads.execute(task);
        } catch (RejectedExecutionException | OutOfMemoryError noThreadLeft) {
            otherwise.accept(task);
        }
    }

    /** The thread inherits nothing from the caller that happens to need it. */
    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(null, task, "stampedeguard-redlock", 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(LockServers.class.getClassLoader());
        return thread;
    }
}
