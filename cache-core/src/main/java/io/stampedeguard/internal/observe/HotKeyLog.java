package io.stampedeguard.internal.observe;

import io.stampedeguard.report.HotKey;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log line about keys that many callers wait for: at most one per minute, and only after at least {@value #MANY} waits in
 * that minute. It is written at the end of a wait, so that concurrent waits are included. <em>Thread-safe.</em>
 */
final class HotKeyLog {
    static final int MANY = 50;

    /** Operators configure the logger by this name; it does not change when classes move. */
    static final String LOGGER = "io.stampedeguard.hot.HotKeys";

    private static final Logger LOG = LoggerFactory.getLogger(LOGGER);
    private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int KEYS_IN_A_LINE = 3;
    private static final int COUNTERS = 32;

    private final String cache;
    private final TimeSource time;
    private final AtomicReference<Window> window;
    private final AtomicLong nextLineNanos;
    private final Consumer<String> lines;

    /** The counts for one line. Not a record: compared by identity. */
    private static final class Window {
        private final long beganNanos;
        private final LongAdder waits = new LongAdder();
        private final SpaceSaving keys = new SpaceSaving(COUNTERS);

        private Window(long beganNanos) {
            this.beganNanos = beganNanos;
        }
    }

    /** Creates an instance that writes to the log. */
    HotKeyLog(String cache, TimeSource time) {
        this(cache, time, LOG::info);
    }

    /** Creates an instance that writes lines elsewhere. */
    HotKeyLog(String cache, TimeSource time, Consumer<String> lines) {
        this.lines = lines;
        this.cache = cache;
        this.time = time;
        long now = time.monotonicNanos();
        this.window = new AtomicReference<>(new Window(now));
        this.nextLineNanos = new AtomicLong(now);
    }

    void waits(String storeKey) {
        long now = time.monotonicNanos();
        Window current = window.get();
        if (isOver(current, now) && window.compareAndSet(current, new Window(now))) {
            current = window.get();
        }
        current.waits.increment();
        current.keys.count(storeKey);
    }

    /**
     * Returns whether a window has ended. A minute with many waits stays until its line is written, which may be late, but not
     * forever.
     */
    private static boolean isOver(Window current, long now) {
        long age = now - current.beganNanos;
        return age >= 2 * MINUTE_NANOS || (age >= MINUTE_NANOS && current.waits.sum() < MANY);
    }

    /** Writes the line if it is due. */
    void tell(Function<List<SpaceSaving.Count>, List<HotKey>> shown) {
        Window current = window.get();
        if (current.waits.sum() < MANY) {
            return;
        }
        long now = time.monotonicNanos();
        long next = nextLineNanos.get();
        if (now - next >= 0
                && !isOver(current, now)
                && nextLineNanos.compareAndSet(next, now + MINUTE_NANOS)
                && window.compareAndSet(current, new Window(now))) {
            write(current, now, shown.apply(current.keys.top(KEYS_IN_A_LINE)));
        }
    }

    private void write(Window told, long now, List<HotKey> keys) {
        lines.accept("cache '%s': %d waits for loads in the last %d s, most of them for %s"
                .formatted(
                        cache,
                        told.waits.sum(),
                        Math.max(1, Duration.ofNanos(now - told.beganNanos).toSeconds()),
                        keys.stream().map(HotKey::toString).collect(Collectors.joining(", "))));
    }
}
