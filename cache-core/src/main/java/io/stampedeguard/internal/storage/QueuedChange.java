package io.stampedeguard.internal.storage;

import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.loader.StoreException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What is to be sent for a key, and the entry that answers here until then. Immutable, except for the replay of the key, which a
 * change shares with those that were queued before it, so that one thread at a time replays a key. Equal to itself only.
 */
final class QueuedChange {
    private final boolean removes;
    private final byte @Nullable [] entry;
    private final AtomicReference<@Nullable Replay> running;

    private QueuedChange(@Nullable QueuedChange before, boolean removes, byte @Nullable [] entry) {
        this.removes = removes;
        this.entry = entry;
        this.running = before == null ? new AtomicReference<>() : before.running;
    }

    /** A replay by one thread. {@code failure} is written before the latch opens. */
    static final class Replay {
        final CountDownLatch over = new CountDownLatch(1);

        @Nullable
        StoreException failure;
    }

    /** Returns what has the effect of a change behind the one that was queued before, if there is one: a removal remains one. */
    static QueuedChange after(@Nullable QueuedChange before, Change change) {
        if (change instanceof Change.OfAll ofAll) {
            return after(before, ofAll.each());
        }
        if (change instanceof Change.Expire) {
            return before == null ? new QueuedChange(null, false, null) : before.expired();
        }
        return new QueuedChange(before, true, change instanceof Change.Put put ? put.entry() : null);
    }

    /** Returns this change with a stale entry, if it has one. */
    QueuedChange expired() {
        byte[] marked = entry == null ? null : entry.clone();
        if (marked != null) {
            byte[] mark = Entry.staleMark();
            System.arraycopy(mark, 0, marked, Entry.SOFT_EXPIRY_OFFSET, mark.length);
        }
        return new QueuedChange(this, removes, marked);
    }

    /** Returns this change without the entry that answers here. */
    QueuedChange withoutEntry() {
        return new QueuedChange(this, removes, null);
    }

    /** Returns what is sent: a value would be a late writer. */
    Change toSend() {
        return removes ? new Change.Invalidate() : Entry.expiry();
    }

    byte @Nullable [] entry() {
        return entry;
    }

    int length() {
        return entry == null ? 0 : entry.length;
    }

    /** Begins a replay of the key; returns the one that is running, else {@code null}. */
    @Nullable
    Replay begin(Replay replay) {
        return running.compareAndExchange(null, replay);
    }

    /** Ends the replay of this thread. */
    void end(Replay replay) {
        running.set(null);
        replay.over.countDown();
    }
}
