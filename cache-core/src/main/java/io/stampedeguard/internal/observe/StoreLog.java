package io.stampedeguard.internal.observe;

import io.stampedeguard.event.BreakerState;
import io.stampedeguard.internal.failure.CallbackLog;
import io.stampedeguard.internal.failure.OnceAMinute;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.spi.BreakerEvents;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.time.TimeSource;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the log says about one store, for all caches of this process that are on it:
 * <ol>
 *   <li>when the circuit breaker opens, what callers get from now on; while it is open, once a minute, what they got; when it
 *       closes, what they got in all. Single faults are not logged meanwhile. Of a server that flaps, an outage begins with a line
 *       once a minute at most, and one that began without a line ends without one;
 *   <li>otherwise the first fault, then one a minute with the number of faults.
 * </ol>
 *
 * <p>Stack traces are logged at level debug only: those of a store say what the message says. <em>Thread-safe.</em>
 */
public final class StoreLog {
    private static final Map<CacheStore, StoreLog> ALL = Collections.synchronizedMap(new WeakHashMap<>());

    private final Logger log;
    private final TimeSource time;
    private final OnceAMinute faults;
    private final OnceAMinute outages;

    /** Null while the circuit breaker is closed; then there is nothing to count. */
    final AtomicReference<@Nullable Outage> outage = new AtomicReference<>();

    StoreLog(String logger, TimeSource time) {
        this.log = LoggerFactory.getLogger(logger);
        this.time = time;
        this.faults = new OnceAMinute(time);
        this.outages = new OnceAMinute(time);
    }

    /** Returns the log of a store, whose logger has the name of the store's class. */
    public static StoreLog of(CacheStore store, TimeSource time) {
        return ALL.computeIfAbsent(store, each -> new StoreLog(each.getClass().getName(), time));
    }

    /** The time in which the circuit breaker is not closed. */
    static final class Outage {
        private final String condition;
        private final long beganNanos;
        private final LongAdder faults = new LongAdder();
        private final LongAdder answers = new LongAdder();
        private final LongAdder loads = new LongAdder();
        private volatile boolean isLogged;

        private Outage(String condition, long beganNanos) {
            this.condition = condition;
            this.beganNanos = beganNanos;
        }

        private String toll() {
            return faults + " requests failed, " + answers + " answers came from memory, and " + loads + " loads ran";
        }
    }

    /** Notes the state of the store's circuit breaker, which may be known. */
    void breaker(BreakerEvents store) {
        if (store.breaker() == BreakerState.CLOSED) {
            closed();
        } else if (outage.get() == null) {
            outage.compareAndSet(null, new Outage(store.condition(), time.monotonicNanos()));
            occurred();
            if (store.breaker() == BreakerState.CLOSED) { // that may have been reported before the outage was noted
                closed();
            }
        }
    }

    private void closed() {
        Outage ended = outage.getAndSet(null);
        if (ended != null && ended.isLogged) {
            log.info(
                    "The store answers again, after {} s in which {} ({})",
                    secondsOf(ended),
                    ended.toll(),
                    ended.condition);
        }
    }

    /** Counts an answer from memory, if the circuit breaker is open. */
    void answeredFromMemory() {
        Outage current = outage.get();
        if (current != null) {
            current.answers.increment();
            occurred();
        }
    }

    /** Counts a call of the loader, if the circuit breaker is open. */
    void loaded() {
        Outage current = outage.get();
        if (current != null) {
            current.loads.increment();
        }
    }

    /** Counts a fault, and logs it, or the outage that it is part of, if a line is due. */
    void failed(String cache, Throwable fault) {
        Outage current = outage.get();
        if (current != null) {
            current.faults.increment();
            occurred();
            return;
        }
        faults.count(number -> {
            log.warn("cache '{}': store fault: {} ({} since the last such line)", cache, Thrown.textOf(fault), number);
            CallbackLog.debug(log, "cache '" + cache + "': store fault", fault);
        });
    }

    /** Returns whether the circuit breaker is open, so that this log has, or will have, a line about it. */
    boolean isOutage() {
        return outage.get() != null;
    }

    private void occurred() {
        outages.count(number -> {
            Outage current = outage.get();
            if (current != null && current.isLogged) {
                log.warn("{}; for {} s: {}", current.condition, secondsOf(current), current.toll());
            } else if (current != null) {
                current.isLogged = true;
                log.warn(
                        "{}: until it answers promptly again, requests fail at once, callers get values from memory or"
                                + " load without a lease, and changes are queued",
                        current.condition);
            }
        });
    }

    private long secondsOf(Outage since) {
        return TimeUnit.NANOSECONDS.toSeconds(time.monotonicNanos() - since.beganNanos);
    }
}
