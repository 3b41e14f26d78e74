package io.stampedeguard.testkit;

import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseNotifications;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.store.InMemoryStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Notifications that can be lost, and can arrive long after the event. <em>Thread-safe.</em> */
final class LossyNotifications implements LeaseNotifications {
    private final InMemoryStore origin;
    private final Map<Listener, String> listeners = new ConcurrentHashMap<>();
    private volatile boolean lost;
    private volatile @Nullable Predicate<Listener> whileLooking;

    LossyNotifications(InMemoryStore origin) {
        this.origin = origin;
    }

    /** Looks from now on who holds the lease that is watched, and tells it, if the condition, tested before each look, is true. */
    void look(Predicate<Listener> beforeLook) {
        whileLooking = beforeLook;
    }

    /** Loses all notifications from now on, including confirmations of watches. */
    void lose() {
        lost = true;
    }

    /** Delivers notifications again from now on. */
    void heal() {
        lost = false;
    }

    /** Returns the number of open watches. */
    int watches() {
        return listeners.size();
    }

    /** Notifies the watchers of a key of a publication, under any token. */
    void tellPublished(String key, LeaseToken token, String payload) {
        byte[] text = payload.getBytes(StandardCharsets.UTF_8);
        ByteBuffer entry = ByteBuffer.allocate(LeaseToken.BYTES + text.length);
        token.writeTo(entry);
        entry.put(text);
        listeners.forEach((listener, watched) -> {
            if (watched.equals(key)) {
                listener.onNotice(new Notice.Published(token, entry.array()));
            }
        });
    }

    @Override
    public Watch watch(String key, Listener listener) {
        listeners.put(listener, key);
        Watch watch = origin.watch(key, new LossyListener(key, listener));
        return () -> {
            listeners.remove(listener);
            watch.close();
        };
    }

    private final class LossyListener implements Listener {
        private final String key;
        private final Listener listener;

        private LossyListener(String key, Listener listener) {
            this.key = key;
            this.listener = listener;
        }

        @Override
        public void listening() {
            Predicate<Listener> beforeLook = whileLooking;
            if (lost) {
                return;
            }
            if (beforeLook != null) {
                if (!beforeLook.test(listener)) {
                    return;
                }
                if (origin.inspect(key).lease() instanceof LeaseAttempt.Held held && held.holder() != null) {
                    listener.listening(held.holder());
                    return;
                }
            }
            listener.listening();
        }

        @Override
        public void onNotice(Notice notice) {
            if (!lost) {
                listener.onNotice(notice);
            }
        }
    }
}
