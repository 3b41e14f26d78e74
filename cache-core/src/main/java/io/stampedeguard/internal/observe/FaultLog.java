package io.stampedeguard.internal.observe;

import io.stampedeguard.internal.failure.CallbackLog;
import io.stampedeguard.internal.failure.Reported;
import io.stampedeguard.time.TimeSource;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the faults of one source, which is not the store. Logs the first one of each kind, that is, of each class of exception,
 * with its stack trace; of the others one a minute, without; none that is {@link Reported}. <em>Thread-safe.</em>
 */
final class FaultLog {
    /** Operators configure the logger by this name; it does not change when classes move. */
    static final String LOGGER = "io.stampedeguard.StampedeGuardedCache";

    static final Logger LOG = LoggerFactory.getLogger(LOGGER);

    private final LongAdder count = new LongAdder();
    private final CallbackLog lines;
    private final String cache;
    private final String source;

    FaultLog(String cache, String source, TimeSource time) {
        this.cache = cache;
        this.source = source;
        this.lines = new CallbackLog(LOG, time);
    }

    /** Counts a fault; {@code effect} names the key and says what happens instead, empty if there is no more to say. */
    void add(Throwable fault, String effect) {
        count.increment();
        String more = effect.isEmpty() ? "" : ", " + effect;
        String line = "cache '" + cache + "': " + source + " fault" + more;
        if (fault instanceof Reported) {
            CallbackLog.debug(LOG, line, fault);
        } else {
            lines.add(line, fault);
        }
    }

    long count() {
        return count.sum();
    }
}
