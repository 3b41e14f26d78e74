package io.stampedeguard.testkit;

import io.stampedeguard.internal.spi.InvalidationEvents;
import io.stampedeguard.internal.spi.Watch;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** Notifications of changes that can be lost or disconnected. <em>Thread-safe.</em> */
final class LossyInvalidationEvents implements InvalidationEvents {
    private final InvalidationEvents origin;
    private final Set<Listener> listeners = ConcurrentHashMap.newKeySet();
    private volatile boolean lost;
    private volatile boolean killed;

    LossyInvalidationEvents(InvalidationEvents origin) {
        this.origin = origin;
    }

    /** Loses all notifications of changes from now on, unnoticed. */
    void lose() {
        lost = true;
    }

    /** Disconnects the listeners, and notifies them of that. */
    void cut() {
        lost = true;
        listeners.forEach(Listener::disconnected);
    }

    /** Reconnects the listeners, and notifies them of that. */
    void mend() {
        lost = false;
        killed = false;
        listeners.forEach(Listener::listening);
    }

    /** Disconnects the listeners until {@link #mend}, whatever the store does. */
    void kill() {
        killed = true;
        cut();
    }

    /** Returns the number of open watches. */
    int watches() {
        return listeners.size();
    }

    @Override
    public Watch watchChanges(String cache, List<? extends Listener> watching) {
        Listener listener = watching.get(0);
        listeners.add(listener);
        Watch watch = origin.watchChanges(cache, List.of(new LossyListener(listener)));
        return () -> {
            listeners.remove(listener);
            watch.close();
        };
    }

    private final class LossyListener implements Listener {
        private final Listener listener;

        private LossyListener(Listener listener) {
            this.listener = listener;
        }

        @Override
        public void listening() {
            if (!killed) {
                listener.listening();
            }
        }

        @Override
        public void completeUpTo(LongSupplier ageNanos) {
            unlessLost(() -> listener.completeUpTo(ageNanos));
        }

        @Override
        public void changed(String key) {
            unlessLost(() -> listener.changed(key));
        }

        @Override
        public void changedAll() {
            unlessLost(listener::changedAll);
        }

        @Override
        public void disconnected() {
            listener.disconnected();
        }
    }

    private void unlessLost(Runnable word) {
        if (!lost) {
            word.run();
        }
    }
}
