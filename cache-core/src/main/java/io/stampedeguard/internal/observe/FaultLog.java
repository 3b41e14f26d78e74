package io.stampedeguard.internal.observe;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.failure.CallbackLog;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.time.TimeSource;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the faults of one source, which is not the store. Logs the first one of each kind, that is, of each class of exception,
 * with its stack trace; of the others one a minute, without. <em>Thread-safe.</em>
 */
final class FaultLog {
    /** Operators configure the logger by this name; it does not change when classes move. */
    static final String LOGGER = "io.stampedeguard.StampedeGuardedCache";

    private static final Logger LOG = LoggerFactory.getLogger(LOGGER);

    private final LongAdder count = new LongAdder();
    private final CallbackLog lines;
    private final String cache;
    private final String source;

    FaultLog(String cache, String source, TimeSource time) {
        this.cache = cache;
        this.source = source;
        this.lines = new CallbackLog(LOG, time);
    }

    /** Logs an advice, which is given once. */
    static void advise(String cache, EventType advice, String words) {
        LOG.warn("cache '{}': {} ({})", cache, words, advice);
    }

    static void originStrained(String cache, String why) {
        LOG.warn("cache '{}': the origin is under strain; background loads are shed from now on: {}", cache, why);
    }

    static void originRecovered(String cache) {
        LOG.info("cache '{}': the origin has recovered; background loads run normally again", cache);
    }

    static void changesUnanswered(String cache, StoreException why) {
        LOG.warn(
                "cache '{}': {}; until one is answered, no more are sent but a probe each second: callers get what the store"
                        + " contains, or a value that this process has loaded without a lease and keeps, and changes are queued",
                cache,
                KeyEncoder.printable(String.valueOf(why.getMessage())));
    }

    static void changesAnswered(String cache) {
        LOG.info("cache '{}': the store answers changes again", cache);
    }

    static void queueingBegan(String cache, StoreException failure) {
        LOG.warn(
                "cache '{}': changes {}, and are queued from now on: {}",
                cache,
                failure.isRefusal() && !failure.isUnsent()
                        ? "are refused by the store"
                        : "get no answer from the store",
                Thrown.textOf(failure));
    }

    static void queueingEnded(String cache) {
        LOG.info("cache '{}': the store accepts changes again, and none is queued any more", cache);
    }

    static void queuedChangesLost(String cache, int number) {
        LOG.warn("cache '{}' was closed with {} queued changes, which other processes will not see", cache, number);
    }

    /** Counts a fault; {@code effect} names the key and says what happens instead, empty if there is no more to say. */
    void add(Throwable fault, String effect) {
        count.increment();
        String more = effect.isEmpty() ? "" : ", " + effect;
        lines.add("cache '" + cache + "': " + source + " fault" + more, fault);
    }

    long count() {
        return count.sum();
    }
}
