package io.stampedeguard.redlock;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.internal.failure.CallbackLog;
import io.stampedeguard.internal.failure.OnceAMinute;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.parts.StoreParts;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Independent servers, which are queried at the same time:
 *
 * <ol>
 *   <li>each question runs on a thread of its own; if none is left, on the caller's;
 *   <li>the caller waits until all have answered, but no longer than a limit;
 *   <li>an answer after the limit does not count, and its effect is reverted;
 *   <li>a failed or late server is still queried, but the caller does not wait for it until it has answered in time again, as
 *       long as the others are a quorum: a stalled server costs the limit once, not on every call.
 * </ol>
 *
 * <p><em>Thread-safe.</em>
 */
final class LockServers {
    private static final int MOST_THREADS = 64;
    private static final long IDLE_SECONDS = 10;

    private final ExecutorService threads = new ThreadPoolExecutor(
            0, MOST_THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), LockServers::daemon);
    private final List<LockServer> servers;
    private final TimeSource time;
    private final Duration patience;

    LockServers(List<LockStore> stores, TimeSource time, Duration patience) {
        this.servers = stores.stream()
                .map(store -> new LockServer(store, time, patience))
                .toList();
        this.time = time;
        this.patience = patience;
    }

    /**
     * Asks all servers; {@code tooLate} reverts the effect of an answer that comes too late. If this thread is interrupted while
     * it waits, missing answers are too late.
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

    /** Creates a daemon thread, which inherits nothing from the caller that happens to need it. */
    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(null, task, "stampedeguard-redlock", 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(LockServers.class.getClassLoader());
        return thread;
    }

    TimeSource time() {
        return time;
    }

    /**
     * One of several independent servers. Failed or late answers cause a warning in the log, once a minute at most. <em>Thread-safe.</em>
     */
    static final class LockServer {
        private static final Logger LOG = LoggerFactory.getLogger(RedlockStore.class);

        private final AtomicBoolean failing = new AtomicBoolean();
        private final AtomicBoolean told = new AtomicBoolean();
        private final OnceAMinute lines;
        private final LockStore store;
        private final TimeSource time;
        private final Duration patience;

        LockServer(LockStore store, TimeSource time, Duration patience) {
            this.store = store;
            this.time = time;
            this.patience = patience;
            this.lines = new OnceAMinute(time);
        }

        boolean isFailing() {
            return failing.get();
        }

        /**
         * Asks this server; blocks until it has answered or failed. If the answer does not count, {@code tooLate} reverts a
         * certain or possible change; {@code over} is called when no further answer can come.
         */
        <T> void ask(
                Function<LockStore, T> question,
                CompletableFuture<T> answer,
                Consumer<LockStore> tooLate,
                Runnable over) {
            boolean counts = false;
            try {
                counts = answer(question, answer);
            } finally {
                over.run();
            }
            if (!counts) {
                takeBack(tooLate);
            }
        }

        private <T> boolean answer(Function<LockStore, T> question, CompletableFuture<T> answer) {
            long began = time.monotonicNanos();
            try {
                boolean counts = answer.complete(question.apply(store));
                if (time.monotonicNanos() - began < patience.toNanos()) {
                    answered();
                }
                return counts;
            } catch (StoreException failure) {
                answer.completeExceptionally(failure);
                failed(failure);
                return false;
            }
        }

        private void takeBack(Consumer<LockStore> tooLate) {
            try {
                tooLate.accept(store);
            } catch (StoreException unanswered) {
                CallbackLog.debug(
                        LOG,
                        "A possible lock on the lock server" + store.parts().where()
                                + " was not released; it expires by itself",
                        unanswered);
            }
        }

        private void answered() {
            if (failing.get() && failing.getAndSet(false) && told.getAndSet(false)) {
                LOG.info("The lock server{} answers again", store.parts().where());
            }
        }

        void failed(Exception failure) {
            failing.set(true);
            lines.count(number -> {
                told.set(true);
                LOG.warn(
                        "The lock server{} fails: {}",
                        store.parts().where(),
                        KeyEncoder.printable(String.valueOf(failure.getMessage())));
            });
        }
    }

    /** The store of a lock server, on which a lease without an entry is a lock. <em>Thread-safe.</em> */
    record LockStore(SharedStore leases, StoreParts parts) {
        /** Gives locks back without a notification. */
        void withdraw(Collection<HeldLease> locks) {
            parts.withdraw(locks);
        }
    }
}
