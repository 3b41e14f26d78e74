package io.stampedeguard.internal.storage;

import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.store.InvalidationEvents;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * Changes of the store, whose gaps are reported to the listener: once from the moment at which some part is disconnected until
 * all are connected again. <em>Thread-safe.</em>
 */
record GapTelling(InvalidationEvents changes, CacheEvents events) implements InvalidationEvents {
    @Override
    public Watch watchChanges(String cache, Listener listener) {
        return watchParts(cache, List.of(listener));
    }

    @Override
    public Watch watchParts(String cache, List<? extends Listener> listeners) {
        AtomicInteger gaps = new AtomicInteger();
        return changes.watchParts(
                cache,
                listeners.stream()
                        .map(listener -> new Ear(listener, gaps, events))
                        .toList());
    }

    @Override
    public int parts() {
        return changes.parts();
    }

    @Override
    public int partOf(String key) {
        return changes.partOf(key);
    }

    /** One thread at a time reports gaps. */
    private static final class Ear implements Listener {
        private final Listener listener;
        private final AtomicInteger gaps;
        private final CacheEvents events;
        private volatile boolean listens;
        private volatile boolean isGap;

        /**
         * Creates a listener that is not connected yet.
         *
         * @param gaps the number of parts with a gap
         */
        Ear(Listener listener, AtomicInteger gaps, CacheEvents events) {
            this.listener = listener;
            this.gaps = gaps;
            this.events = events;
        }

        @Override
        public void listening() {
            listener.listening();
            listens = true;
            if (isGap) {
                isGap = false;
                gaps.decrementAndGet();
            }
        }

        @Override
        public void completeUpTo(LongSupplier ageNanos) {
            listener.completeUpTo(ageNanos);
        }

        @Override
        public void changed(String key) {
            listener.changed(key);
        }

        @Override
        public void changedAll() {
            listener.changedAll();
        }

        @Override
        public void disconnected() {
            listener.disconnected();
            if (listens) {
                listens = false;
                isGap = true;
                if (gaps.getAndIncrement() == 0) {
                    events.nearGap();
                }
            }
        }
    }
}
