package io.stampedeguard.testkit;

import io.stampedeguard.internal.spi.InvalidationEvents;
import io.stampedeguard.internal.spi.LeaseNotifications;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Watch;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The listeners of a {@link FaultyStore}: during an outage they are notified of nothing, and at its end they are told to be
 * listening again. <em>Thread-safe.</em>
 */
final class Subscriptions {
    /** The way to one listener. */
    private interface Line {
        void cut();

        void restore();
    }

    private final Faults faults;
    private final Set<Line> lines = ConcurrentHashMap.newKeySet();

    Subscriptions(Faults faults) {
        this.faults = faults;
    }

    /** Notifies all listeners that an outage has begun. */
    void cut() {
        lines.forEach(Line::cut);
    }

    /** Notifies all listeners that an outage has ended. */
    void restore() {
        lines.forEach(Line::restore);
    }

    Watch watch(LeaseNotifications store, String key, LeaseNotifications.Listener listener) {
        LeaseLine line = new LeaseLine(listener);
        lines.add(line);
        Watch watch = store.watch(key, line);
        return () -> {
            lines.remove(line);
            watch.close();
        };
    }

    Watch watchChanges(InvalidationEvents store, String cache, List<? extends InvalidationEvents.Listener> listeners) {
        List<ChangeLine> opened = listeners.stream().map(ChangeLine::new).toList();
        lines.addAll(opened);
        Watch watch = store.watchChanges(cache, opened);
        return () -> {
            opened.forEach(lines::remove);
            watch.close();
        };
    }

    private final class LeaseLine implements Line, LeaseNotifications.Listener {
        private final LeaseNotifications.Listener listener;

        private LeaseLine(LeaseNotifications.Listener listener) {
            this.listener = listener;
        }

        @Override
        public void listening() {
            if (!faults.isOutage()) {
                listener.listening();
            }
        }

        @Override
        public void listening(LeaseToken holder) {
            if (!faults.isOutage()) {
                listener.listening(holder);
            }
        }

        @Override
        public void onNotice(LeaseNotifications.Notice notice) {
            if (!faults.isOutage()) {
                listener.onNotice(notice);
            }
        }

        @Override
        public void cut() {}

        @Override
        public void restore() {
            listener.listening();
        }
    }

    /** One call after another: after {@link #cut} has returned, no earlier call is still running. */
    private final class ChangeLine implements Line, InvalidationEvents.Listener {
        private final InvalidationEvents.Listener listener;

        private ChangeLine(InvalidationEvents.Listener listener) {
            this.listener = listener;
        }

        private synchronized void unlessCut(Runnable call) {
            if (!faults.isOutage()) {
                call.run();
            }
        }

        @Override
        public void listening() {
            unlessCut(listener::listening);
        }

        @Override
        public void completeUpTo(LongSupplier ageNanos) {
            unlessCut(() -> listener.completeUpTo(ageNanos));
        }

        @Override
        public void changed(String key) {
            unlessCut(() -> listener.changed(key));
        }

        @Override
        public void changedAll() {
            unlessCut(listener::changedAll);
        }

        @Override
        public void disconnected() {
            unlessCut(listener::disconnected);
        }

        @Override
        public synchronized void cut() {
            listener.disconnected();
        }

        @Override
        public void restore() {
            unlessCut(listener::listening);
        }
    }
}
