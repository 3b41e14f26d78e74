package io.stampedeguard.redis.internal.filter;

import io.stampedeguard.filter.FilterEvents;
import io.stampedeguard.filter.FilterListener;
import io.stampedeguard.filter.FilterState;
import io.stampedeguard.redis.internal.connect.LoggerNames;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The reports of a filter to its listener and to the log. <em>Thread-safe.</em> */
final class FilterReports {
    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.KEY_FILTER);

    private final AtomicBoolean warnedOfSilence = new AtomicBoolean();
    private final String name;
    private final String where;
    private final FilterEvents events;
    private final Supplier<FilterState> state;

    /**
     * Makes the reports of a filter.
     *
     * @param where what a message says about the place of Redis, empty if that is not known
     * @param state tells how the filter is
     */
    FilterReports(String name, String where, FilterListener listener, Supplier<FilterState> state) {
        this.name = name;
        this.where = where;
        this.events = new FilterEvents(name, listener);
        this.state = state;
    }

    /** All partitions have a generation of which they had none or another one before. */
    void inForce() {
        FilterState now = state.get();
        LOG.info("filter '{}' is in force, with about {} keys", name, now.estimatedKeys());
        events.state(now);
    }

    /**
     * A partition cannot say no.
     *
     * @param answer how Redis says it
     * @param lost whether the filter was in force until then
     */
    void notInForce(FilterAnswer answer, boolean lost) {
        if (answer.isUntold()) {
            untold(answer.reason());
        }
        if (lost) {
            lost();
        }
    }

    /** It was in force until now. */
    void lost() {
        LOG.warn(
                "filter '{}' is lost{}: the server was flushed, full, restarted or replaced, or a slot was moved;"
                        + " it says maybe to all keys until it is rebuilt",
                name,
                where);
        fuller();
    }

    /** Its fill has grown by another tenth. */
    void fuller() {
        events.state(state.get());
    }

    private void untold(String reason) {
        if (warnedOfSilence.compareAndSet(false, true)) {
            LOG.warn(
                    "filter '{}' says maybe to all keys: Redis{} does not tell whether it has lost any; the user needs the"
                            + " right +info. It says: {}",
                    name,
                    where,
                    reason);
        }
    }

    void rebuilding(long keys) {
        events.rebuild(keys);
    }
}
