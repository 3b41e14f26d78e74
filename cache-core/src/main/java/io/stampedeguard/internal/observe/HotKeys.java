package io.stampedeguard.internal.observe;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.internal.failure.OnceAMinute;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of one cache for which most callers of this process wait. Keys without waits cost nothing. All counts are halved
 * every {@value #HALVED_EACH_MINUTES} minutes, so that they reflect the present.
 *
 * <p>A log line names keys that many callers wait for: at most one per minute, and only after at least {@value #MANY} waits in
 * that minute. It is written at the end of a wait, so that concurrent waits are included. <em>Thread-safe.</em>
 */
public final class HotKeys {
    static final int MANY = 50;

    /** Operators configure the logger by this name; it does not change when classes move. */
    static final String LOGGER = "io.stampedeguard.hot.HotKeys";

    private static final Logger LOG = LoggerFactory.getLogger(LOGGER);
    private static final int HALVED_EACH_MINUTES = 5;
    private static final long HALVED_EACH_NANOS =
            Duration.ofMinutes(HALVED_EACH_MINUTES).toNanos();
    private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int COUNTERS = 128;
    private static final int COUNTERS_FOR_A_LINE = 32;
    private static final int KEYS_IN_A_LINE = 3;
    private static final long MOST_HALVINGS = Long.SIZE - 1;

    private final SpaceSaving keys = new SpaceSaving(COUNTERS);
    private final String cache;
    private final TimeSource time;
    private final Consumer<String> lines;
    private final AtomicLong halvedNanos;
    private final AtomicReference<Window> window;
    private final OnceAMinute line;

    /** The counts for one line. Not a record: compared by identity. */
    private static final class Window {
        private final long beganNanos;
        private final LongAdder waits = new LongAdder();
        private final SpaceSaving keys = new SpaceSaving(COUNTERS_FOR_A_LINE);

        private Window(long beganNanos) {
            this.beganNanos = beganNanos;
        }

        /** A minute with many waits stays until its line is written, which may be late, but not forever. */
        boolean isOver(long now) {
            long age = now - beganNanos;
            return age >= 2 * MINUTE_NANOS || (age >= MINUTE_NANOS && waits.sum() < MANY);
        }
    }

    /** Creates an instance without counts, which writes to the log. */
    public HotKeys(String cache, TimeSource time) {
        this(cache, time, LOG::info);
    }

    /** Creates an instance that writes lines elsewhere. */
    HotKeys(String cache, TimeSource time, Consumer<String> lines) {
        this.cache = cache;
        this.time = time;
        this.lines = lines;
        long now = time.monotonicNanos();
        this.halvedNanos = new AtomicLong(now);
        this.window = new AtomicReference<>(new Window(now));
        this.line = new OnceAMinute(time);
    }

    /** Counts a caller that begins to wait for another caller's load. */
    public void waits(String storeKey) {
        long now = time.monotonicNanos();
        halveIfDue(now);
        keys.count(storeKey);
        Window current = window.get();
        if (current.isOver(now) && window.compareAndSet(current, new Window(now))) {
            current = window.get();
        }
        current.waits.increment();
        current.keys.count(storeKey);
    }

    /** Called when a wait has ended: writes to the log if a line is due. */
    public void waited() {
        Window current = window.get();
        if (current.waits.sum() < MANY) {
            return;
        }
        long now = time.monotonicNanos();
        if (!current.isOver(now)) {
            line.count(number -> {
                if (window.compareAndSet(current, new Window(now))) {
                    write(current, now);
                }
            });
        }
    }

    private void write(Window window, long now) {
        lines.accept("cache '%s': %d waits for loads in the last %d s, most of them for %s"
                .formatted(
                        cache,
                        window.waits.sum(),
                        Math.max(1, Duration.ofNanos(now - window.beganNanos).toSeconds()),
                        named(window.keys.top(KEYS_IN_A_LINE)).entrySet().stream()
                                .map(key -> KeyEncoder.shown(key.getKey()) + " (" + key.getValue() + ")")
                                .collect(Collectors.joining(", "))));
    }

    /** Returns the keys for which most callers waited, the hottest first, at most the given number. */
    public Map<String, Long> top(int most) {
        halveIfDue(time.monotonicNanos());
        return named(keys.top(most));
    }

    private Map<String, Long> named(List<SpaceSaving.Count> counts) {
        Map<String, Long> waits = new LinkedHashMap<>();
        counts.forEach(count -> waits.put(count.key().substring(cache.length() + 1), count.seen()));
        return waits;
    }

    private void halveIfDue(long now) {
        long last = halvedNanos.get();
        long due = (now - last) / HALVED_EACH_NANOS;
        if (due > 0 && halvedNanos.compareAndSet(last, last + due * HALVED_EACH_NANOS)) {
            keys.halve((int) Math.min(due, MOST_HALVINGS));
        }
    }
}
