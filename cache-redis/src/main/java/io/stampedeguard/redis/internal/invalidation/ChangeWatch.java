package io.stampedeguard.redis.internal.invalidation;

import io.stampedeguard.redis.internal.connect.LoggerNames;
import io.stampedeguard.store.InvalidationEvents.Listener;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One who watches a cache, or a part of its keys, guarded against what it throws. What it is to be told is put into a queue. <em>Not
 * thread-safe</em>, but for {@link #end}: guarded by the lock of {@link ChangeWatches}.
 */
final class ChangeWatch {
    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.STORE);

    /** Stands for all parts. */
    static final int ALL = -1;

    private final String cache;
    private final int part;
    private final Listener listener;
    private final SerialExecutor calls;
    private boolean heard;
    private volatile boolean ended;

    /**
     * Creates a watch that has heard nothing yet.
     *
     * @param part which part of the keys, or {@link #ALL}
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

    /** Notifies the listener whether it is listening now, if that has changed. */
    void settle(boolean nowHeard) {
        if (heard != nowHeard) {
            heard = nowHeard;
            tell(nowHeard ? Listener::listening : Listener::disconnected);
        }
    }

    void tellIfHeard(Consumer<Listener> call) {
        if (heard) {
            tell(call);
        }
    }

    void tell(Consumer<Listener> call) {
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

    /** From now on nothing is told; a last word may be on its way. */
    void end() {
        ended = true;
    }
}
