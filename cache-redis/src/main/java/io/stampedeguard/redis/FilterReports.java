package io.stampedeguard.redis;

import io.stampedeguard.codec.KeyText;
import io.stampedeguard.filter.FilterListener;
import io.stampedeguard.filter.FilterState;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the listener and the log what becomes of a filter. <em>Thread-safe.</em> */
final class FilterReports {
    private static final Logger LOG = LoggerFactory.getLogger(RedisKeyFilter.class);

    private final AtomicBoolean warnedOfSaturation = new AtomicBoolean();
    private final AtomicBoolean warnedOfSilence = new AtomicBoolean();
    private final String name;
    private final String where;
    private final FilterListener listener;
    private final Supplier<FilterState> state;

    FilterReports(String name, String where, FilterListener listener, Supplier<FilterState> state) {
        this.name = name;
        this.where = where;
        this.listener = listener;
        this.state = state;
    }

    void inForce() {
        FilterState now = state.get();
        LOG.info("Filter {} is in force with about {} keys", shown(), now.estimatedKeys());
        changed(now);
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

    void lost() {
        LOG.warn(
                "Filter {} is lost{}: the server was flushed, full, restarted or replaced, or a slot was moved."
                        + " It says maybe to all keys until it is rebuilt",
                shown(),
                where);
        changed(state.get());
    }

    void fuller() {
        changed(state.get());
    }

    private void untold(String reason) {
        if (warnedOfSilence.compareAndSet(false, true)) {
            LOG.warn(
                    "Filter {} says maybe to all keys: Redis{} does not tell whether it has lost any. The user needs the"
                            + " right +info. It says: {}",
                    shown(),
                    where,
                    reason);
        }
    }

    void rebuilding(long keys) {
        tell(told -> told.onRebuild(name, keys));
    }

    private void changed(FilterState now) {
        if (!now.isSaturated()) {
            warnedOfSaturation.set(false);
        } else if (warnedOfSaturation.compareAndSet(false, true)) {
            LOG.warn(
                    "Filter {} has about {} keys and was made for {}: {} of the keys that are not there pass, not {}."
                            + " Rebuild it for more",
                    shown(),
                    now.estimatedKeys(),
                    now.expectedKeys(),
                    percent(now.estimatedRate()),
                    percent(now.designRate()));
        }
        tell(told -> told.onState(name, now));
    }

    private void tell(Consumer<FilterListener> call) {
        try {
            call.accept(listener);
        } catch (RuntimeException thrown) {
            LOG.warn("The listener of filter {} threw", shown(), thrown);
        }
    }

    private String shown() {
        return KeyText.shown(name);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.3g %%", share * 100);
    }
}
