package io.stampedeguard.filter.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.filter.FilterListener;
import io.stampedeguard.filter.FilterState;
import io.stampedeguard.filter.internal.FilterEvents;
import io.stampedeguard.filter.redis.FilterCommands.FilterAnswer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The reports of a filter to its listener and to the log. <em>Thread-safe.</em> */
final class FilterReports {
    private static final Logger LOG = LoggerFactory.getLogger(RedisKeyFilter.class);

    private final AtomicBoolean warned = new AtomicBoolean();
    private final AtomicBoolean warnedOfHash = new AtomicBoolean();
    private final String name;
    private final String where;
    private final FilterEvents events;
    private final Supplier<FilterState> state;

    /** Creates the reports of a filter; {@code where} is the address of Redis for messages, empty if unknown. */
    FilterReports(String name, String where, FilterListener listener, Supplier<FilterState> state) {
        this.name = name;
        this.where = where;
        this.events = new FilterEvents(name, listener);
        this.state = state;
    }

    /** Reports that all partitions have a new generation. */
    void inForce() {
        FilterState now = state.get();
        LOG.info("filter '{}' is active, with about {} keys", name, now.estimatedKeys());
        events.state(now);
    }

    /** Reports that a partition cannot exclude keys, and whether the filter is lost, that is, was active until then. */
    void notInForce(FilterAnswer answer, boolean lost) {
        if (answer.isUnreported()) {
            warnOnce(answer.reason());
        }
        if (lost) {
            lost();
        }
    }

    /** Reports that the filter is lost, and was active until now. */
    void lost() {
        LOG.warn(
                "filter '{}' is lost{}: the server was flushed, full, restarted, or replaced, or a slot was moved;"
                        + " all keys pass until the filter is rebuilt",
                name,
                where);
        fuller();
    }

    /** Reports that a generation was built by another hash, and whether the filter was active until then. */
    void ofAnotherHash(byte[] generation, HashIdentity own, boolean lost) {
        if (warnedOfHash.compareAndSet(false, true)) {
            LOG.warn(
                    "filter '{}' was built by another hash of keys ({}) than that of this process ({}): all keys pass here, and keys"
                            + " that this process announces are not added. Use one keyHash in all processes, then rebuild the filter",
                    name,
                    KeyEncoder.printable(new String(generation, US_ASCII)),
                    own);
        }
        if (lost) {
            fuller();
        }
    }

    /** Reports the state again: its fill has grown by another tenth. */
    void fuller() {
        events.state(state.get());
    }

    private void warnOnce(String reason) {
        if (warned.compareAndSet(false, true)) {
            LOG.warn(
                    "filter '{}' lets all keys pass: Redis{} does not report whether it has lost any; the user needs the"
                            + " permission +info. Redis answered: {}",
                    name,
                    where,
                    reason);
        }
    }

    void rebuilding(long keys) {
        events.rebuild(keys);
    }
}
