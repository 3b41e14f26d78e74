package io.stampedeguard.internal.observe;

import io.stampedeguard.report.HotKey;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The keys of one cache for which most callers of this process wait. Keys without waits cost nothing. All counts are halved
 * every {@value #HALVED_EACH_MINUTES} minutes, so that they reflect the present. <em>Thread-safe.</em>
 */
public final class HotKeys {
    private static final int HALVED_EACH_MINUTES = 5;
    private static final long HALVED_EACH_NANOS =
            Duration.ofMinutes(HALVED_EACH_MINUTES).toNanos();
    private static final int COUNTERS = 128;
    private static final long MOST_HALVINGS = Long.SIZE - 1;

    private final SpaceSaving keys = new SpaceSaving(COUNTERS);
    private final HotKeyLog log;
    private final int nameLength;
    private final TimeSource time;
    private final AtomicLong halvedNanos;

    /**
     * Creates an instance without counts.
     *
     * @param cache the cache's name
     * @param time the clock
     */
    public HotKeys(String cache, TimeSource time) {
        this(cache, time, new HotKeyLog(cache, time));
    }

    HotKeys(String cache, TimeSource time, HotKeyLog log) {
        this.log = log;
        this.nameLength = cache.length() + 1;
        this.time = time;
        this.halvedNanos = new AtomicLong(time.monotonicNanos());
    }

    /**
     * Counts a caller that begins to wait for another caller's load.
     *
     * @param storeKey the cache's name, a colon, and the key as text
     */
    public void waits(String storeKey) {
        halveIfDue();
        keys.count(storeKey);
        log.waits(storeKey);
    }

    /** Called when a wait has ended: writes to the log if a line is due. */
    public void waited() {
        log.tell(this::named);
    }

    /**
     * Returns the keys for which most callers waited.
     *
     * @param most the maximum number of keys
     * @return the keys, the hottest first
     */
    public List<HotKey> top(int most) {
        halveIfDue();
        return named(keys.top(most));
    }

    private List<HotKey> named(List<SpaceSaving.Count> counts) {
        return counts.stream()
                .map(count -> new HotKey(count.key().substring(nameLength), count.seen()))
                .toList();
    }

    private void halveIfDue() {
        long last = halvedNanos.get();
        long due = (time.monotonicNanos() - last) / HALVED_EACH_NANOS;
        if (due > 0 && halvedNanos.compareAndSet(last, last + due * HALVED_EACH_NANOS)) {
            keys.halve((int) Math.min(due, MOST_HALVINGS));
        }
    }
}
