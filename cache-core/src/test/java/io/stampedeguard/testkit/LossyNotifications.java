package io.stampedeguard.testkit;

import io.stampedeguard.store.LeaseNotifications;
import io.stampedeguard.store.LeaseToken;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Notices on a line that may be dead, and may bring what is long over. <em>Thread-safe.</em> */
final class LossyNotifications implements LeaseNotifications {
    private final LeaseNotifications origin;
    private final Map<Listener, String> listeners = new ConcurrentHashMap<>();
    private volatile boolean lost;

    LossyNotifications(LeaseNotifications origin) {
        this.origin = origin;
    }

    /** From now on no notice arrives, nor a word that somebody listens. */
    void lose() {
        lost = true;
    }

    /** From now on notices arrive. */
    void heal() {
        lost = false;
    }

    /** Returns how many watches are open. */
    int watches() {
        return listeners.size();
    }

    /** Tells those who watch a key of a publication, by whatever token. */
    void tellPublished(String key, LeaseToken token, String payload) {
        byte[] text = payload.getBytes(StandardCharsets.UTF_8);
        ByteBuffer entry = ByteBuffer.allocate(LeaseToken.BYTES + text.length);
        token.writeTo(entry);
        entry.put(text);
        listeners.forEach((listener, watched) -> {
            if (watched.equals(key)) {
                listener.heard(new Notice.Published(token, entry.array()));
            }
        });
    }

    @Override
    public Watch watch(String key, Listener listener) {
        listeners.put(listener, key);
        Watch watch = origin.watch(key, new LossyListener(listener));
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
            if (!lost) {
                listener.listening();
            }
        }

        @Override
        public void heard(Notice notice) {
            if (!lost) {
                listener.heard(notice);
            }
        }
    }
}
