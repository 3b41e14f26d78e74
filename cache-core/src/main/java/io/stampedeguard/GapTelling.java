package io.stampedeguard;

import io.stampedeguard.store.Changes;
import java.util.function.LongSupplier;

/** Changes, of which a gap is told to the listener. <em>Thread-safe.</em> */
record GapTelling(Changes changes, CacheEvents events) implements Changes {
    @Override
    public Watch watchChanges(String cache, Listener listener) {
        return changes.watchChanges(cache, new Ear(listener, events));
    }

    /** One thread at a time tells of gaps. */
    private static final class Ear implements Listener {
        private final Listener listener;
        private final CacheEvents events;
        private volatile boolean listens;

        Ear(Listener listener, CacheEvents events) {
            this.listener = listener;
            this.events = events;
        }

        @Override
        public void listening() {
            listener.listening();
            listens = true;
        }

        @Override
        public void heardAllBefore(LongSupplier ageNanos) {
            listener.heardAllBefore(ageNanos);
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
        public void deaf() {
            listener.deaf();
            if (listens) {
                listens = false;
                events.nearGap();
            }
        }
    }
}
