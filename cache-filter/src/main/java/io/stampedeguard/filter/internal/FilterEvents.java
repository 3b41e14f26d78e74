package io.stampedeguard.filter.internal;

import io.stampedeguard.filter.FilterListener;
import io.stampedeguard.filter.FilterState;
import io.stampedeguard.filter.KeyFilter;
import io.stampedeguard.internal.failure.CallbackLog;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.time.TimeSource;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the events of a filter: to its listener, whose failures are logged, and to the log, once, when the filter contains
 * too many keys. <em>Thread-safe.</em>
 */
public final class FilterEvents {
    private static final Logger LOG = LoggerFactory.getLogger(KeyFilter.class);

    private final String filter;
    private final FilterListener listener;
    private final CallbackLog failures = new CallbackLog(LOG, TimeSource.system());
    private final AtomicBoolean saturated = new AtomicBoolean();

    /**
     * Creates the events of one filter.
     *
     * @param filter its name
     * @param listener the listener
     */
    public FilterEvents(String filter, FilterListener listener) {
        this.filter = filter;
        this.listener = listener;
    }

    /**
     * Reports the state of the filter. Warns if it is saturated and was not at the last report.
     *
     * @param state the current state
     */
    public void state(FilterState state) {
        if (saturated.getAndSet(state.isSaturated()) != state.isSaturated() && state.isSaturated()) {
            LOG.warn(
                    "filter '{}' contains about {} keys but was sized for {}: it lets {} % of nonexistent keys pass, not {} %; rebuild it with"
                            + " more expectedKeys",
                    filter,
                    state.estimatedKeys(),
                    state.expectedKeys(),
                    percent(state.estimatedRate()),
                    percent(state.designRate()));
        }
        report(() -> listener.onState(filter, state));
    }

    /**
     * Reports the progress of a rebuild.
     *
     * @param keys the number of keys read so far
     */
    public void rebuild(long keys) {
        report(() -> listener.onRebuild(filter, keys));
    }

    private void report(Runnable call) {
        try {
            call.run();
        } catch (Throwable e) {
            Thrown.rethrowFatal(e);
            failures.add("filter '" + filter + "': its listener threw an exception", e);
        }
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.3g", share * 100);
    }
}
