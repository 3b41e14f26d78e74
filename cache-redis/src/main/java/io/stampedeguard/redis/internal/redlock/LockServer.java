package io.stampedeguard.redis.internal.redlock;

import io.stampedeguard.redis.internal.connect.LoggerNames;
import io.stampedeguard.store.StoreException;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of several independent servers. A failed or late answer causes one warning in the log, until the server answers in time
 * again. <em>Thread-safe.</em>
 */
final class LockServer {
    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.REDLOCK);

    private final AtomicBoolean failing = new AtomicBoolean();
    private final LockStore store;
    private final TimeSource time;
    private final Duration patience;

    LockServer(LockStore store, TimeSource time, Duration patience) {
        this.store = store;
        this.time = time;
        this.patience = patience;
    }

    boolean isFailing() {
        return failing.get();
    }

    /**
     * Asks this server; blocks until it has answered or failed.
     *
     * @param tooLate reverts a change, certain or possible, if the answer does not count
     * @param over called when no further answer can come
     */
    <T> void ask(
            Function<LockStore, T> question, CompletableFuture<T> answer, Consumer<LockStore> tooLate, Runnable over) {
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
            LOG.debug(
                    "A possible lock on the lock server{} was not released; it expires by itself",
                    store.where(),
                    unanswered);
        }
    }

    private void answered() {
        if (failing.get() && failing.getAndSet(false)) {
            LOG.info("The lock server{} answers again", store.where());
        }
    }

    void failed(Exception failure) {
        if (!failing.getAndSet(true)) {
            LOG.warn("The lock server{} fails: {}", store.where(), failure.getMessage());
        }
    }
}
