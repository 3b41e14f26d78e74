package io.stampedeguard.redis.internal.invalidation;

import io.stampedeguard.redis.internal.connect.LoggerNames;
import io.stampedeguard.store.InvalidationEvents.Listener;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The watch of one listener on a cache, or on a part of its keys, which catches the listener's exceptions. Notifications are
 * queued.
 * <em>Not thread-safe</em>, except for {@link #end}: guarded by the lock of {@link ChangeWatches}.
 */
final class ChangeWatch {
    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.STORE);

    /** All parts. */
    static final int ALL = -1;

    private final String cache;
    private final int part;
    private final Listener listener;
    private final SerialExecutor calls;
    private boolean connected;
    private volatile boolean ended;

    /**
     * Creates a watch that is not connected yet.
     *
     * @param part the part of the keys, or {@link #ALL}
     */
    ChangeWatch(String cache, int part, Listener listener, SerialExecutor calls) {
        this.cache = cache;
        this.part = part;
        this.listener = listener;
        this.calls = calls;
    }

    String cache() {
        return cache;
    }

    int part() {
        return part;
    }

    boolean isOf(int other) {
        return part == ALL || part == other;
    }

    /** Notifies the listener of whether it is connected, if that has changed. */
    void settle(boolean nowConnected) {
        if (connected != nowConnected) {
            connected = nowConnected;
            queue(nowConnected ? Listener::listening : Listener::disconnected);
        }
    }

    void notifyIfConnected(Consumer<Listener> call) {
        if (connected) {
            queue(call);
        }
    }

    void queue(Consumer<Listener> call) {
        calls.add(() -> guarded(call));
    }

    private void guarded(Consumer<Listener> call) {
        try {
            if (!ended) {
                call.accept(listener);
            }
        } catch (RuntimeException thrown) {
            LOG.warn("A listener for invalidations has thrown", thrown);
        }
    }

    /** Ends the notifications; one may be in progress. */
    void end() {
        ended = true;
    }
}
