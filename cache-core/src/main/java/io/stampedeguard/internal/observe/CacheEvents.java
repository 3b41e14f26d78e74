package io.stampedeguard.internal.observe;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.Operation;
import io.stampedeguard.event.OperationScope;
import io.stampedeguard.event.OriginState;
import io.stampedeguard.internal.advice.LoadAdvisor;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.spi.BreakerEvents;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The events of one cache: reported to its listener; faults also to the log and the counters. An exception of a listener costs
 * a count and a log line. <em>Thread-safe.</em>
 */
public final class CacheEvents {
    private static final Logger LOG = FaultLog.LOG;

    private final Map<FaultSource, FaultLog> faults = new EnumMap<>(FaultSource.class);
    private final String cache;
    private final CacheListener listener;

    /** Whether there is a listener: without one, no event costs a call or an object. */
    private final boolean isWatched;

    private volatile @Nullable Advisor advisor;
    private final AtomicInteger waiting = new AtomicInteger();
    private final LongAdder storeFaults = new LongAdder();
    private final StoreLog store;

    /** Creates the events of a cache whose store no other one is on. */
    public CacheEvents(String cache, CacheListener listener, TimeSource time) {
        this(cache, listener, time, new StoreLog(SharedStore.class.getName(), time));
    }

    /** Creates the events of a cache; faults of its store go to the log of that store. */
    public CacheEvents(String cache, CacheListener listener, TimeSource time, StoreLog store) {
        this.cache = cache;
        this.listener = listener;
        this.isWatched = !(listener instanceof ListenerList.None);
        this.store = store;
        for (FaultSource source : FaultSource.values()) {
            faults.put(
                    source,
                    new FaultLog(cache, source.name().toLowerCase(Locale.ROOT).replace('_', ' '), time));
        }
    }

    /** Without the lambda of the other events, which may allocate. */
    @SuppressWarnings("CatchingUnchecked") // user callback
    public void answer(AnswerSource source) {
        if (store.outage.get() != null && (source == AnswerSource.NEAR || source == AnswerSource.NEAR_DEGRADED)) {
            store.answeredFromMemory();
        }
        if (isWatched) {
            try {
                listener.onRead(cache, source);
            } catch (Throwable e) {
                listenerFailed(e);
            }
        }
    }

    /** Reports an event without a lambda, like {@link #answer(AnswerSource)}: constants allocate nothing. */
    @SuppressWarnings("CatchingUnchecked") // user callback
    public void report(CacheEvent event) {
        if (isWatched) {
            try {
                listener.onEvent(cache, event);
            } catch (Throwable e) {
                listenerFailed(e);
            }
        }
    }

    /** Reports an event with a figure; times are in nanoseconds. */
    public void report(EventType type, long amount) {
        if (isWatched) {
            report(new CacheEvent.Measured(type, amount));
        }
    }

    /** Reports that a caller got an answer of the store, with the age of the entry. */
    public void answer(AnswerSource source, long ageMillis) {
        answer(source);
        if (source == AnswerSource.STALE) {
            stale(ageMillis);
        }
    }

    public void stale(long ageMillis) {
        report(EventType.STALE, MILLISECONDS.toNanos(Math.max(0, ageMillis)));
    }

    public void open(CacheGauges gauges) {
        run(() -> listener.onOpen(cache, gauges));
    }

    public void close(CacheGauges gauges) {
        run(() -> listener.onClose(cache, gauges));
    }

    /** Logs and reports an advice, which is given once. */
    void advice(EventType subject, String words) {
        LOG.warn("cache '{}': {} ({})", cache, words, subject);
        report(new CacheEvent.Advice(subject, words));
    }

    /** Reports that a value becomes another one when it is encoded and decoded. */
    public void valueChanged(Class<?> key, Class<?> value, Class<?> decoded, String difference) {
        Advisor current = advisor;
        if (current != null) {
            current.valueChanged(key, value, decoded, difference);
        }
    }

    /** Sets the advisor, which from then on receives its observations. */
    public void advisedBy(Advisor other) {
        advisor = other;
    }

    public void wakeUp(long lagNanos) {
        report(EventType.WOKEN, Math.max(0, lagNanos));
    }

    /** Without a lambda, like {@link #answer(AnswerSource)}. */
    @SuppressWarnings("CatchingUnchecked") // user callback
    public OperationScope begin(Operation operation) {
        if (!isWatched) {
            return OperationScope.NONE;
        }
        try {
            return listener.onOperation(cache, operation);
        } catch (Throwable e) {
            listenerFailed(e);
            return OperationScope.NONE;
        }
    }

    @SuppressWarnings("CatchingUnchecked") // user callback
    public void end(OperationScope scope, @Nullable Throwable failure) {
        if (isWatched) {
            try {
                scope.end(failure);
            } catch (Throwable e) {
                listenerFailed(e);
            }
        }
    }

    /** Counts a caller that begins to wait; each call requires one call for the end of the wait. */
    public void waits() {
        waiting.incrementAndGet();
    }

    public void waitsNoMore() {
        waiting.decrementAndGet();
    }

    /** Returns the number of callers that wait for another caller's load. */
    public int waiting() {
        return waiting.get();
    }

    /** Counts one call of the loader, for one key or for many; not an event of listeners. */
    public void called(long nanos) {
        if (store.outage.get() != null) {
            store.loaded();
        }
        Advisor current = advisor;
        if (current != null) {
            for (LoadAdvisor each : current.ofLoads) {
                each.called(nanos);
            }
        }
    }

    /** Reports the end of a load, a {@code LOAD_} type. */
    public void load(EventType outcome, long nanos) {
        Advisor current = advisor;
        if (current != null && outcome != EventType.LOAD_NOT_BEGUN) {
            for (LoadAdvisor each : current.ofLoads) {
                run(each::loaded); // asks the filter
            }
        }
        report(outcome, nanos);
    }

    /** Reports a step; logs the first one away from the normal state, with the reason, and the one back to it. */
    public void originState(OriginState before, OriginState state, String why) {
        if (before == OriginState.NORMAL) {
            LOG.warn("cache '{}': the origin is under strain; background loads are shed from now on: {}", cache, why);
        }
        report(state);
        if (state == OriginState.NORMAL) {
            LOG.info("cache '{}': the origin has recovered; background loads run normally again", cache);
        }
    }

    /**
     * Logs that the store leaves changes unanswered, though it answers reads, unless the store's log says more; returns whether it
     * does not.
     */
    public boolean changesUnanswered(StoreException why) {
        boolean isOutage = store.isOutage();
        if (!isOutage) {
            LOG.warn(
                    "cache '{}': {}; until one is answered, no more are sent but a probe each second: callers get what the"
                            + " store contains, or a value that this process has loaded without a lease and keeps, and"
                            + " changes are queued",
                    cache,
                    KeyEncoder.printable(String.valueOf(why.getMessage())));
        }
        return !isOutage;
    }

    /** Logs that the store answers changes again. */
    public void changesAnswered() {
        LOG.info("cache '{}': the store answers changes again", cache);
    }

    /** Logs that changes are queued from now on, unless the store does; not an event of listeners. */
    public void queueingBegan(StoreException failure) {
        if (!store.isOutage()) {
            LOG.warn(
                    "cache '{}': changes {}, and are queued from now on: {}",
                    cache,
                    failure.isRefusal() && !failure.isUnsent()
                            ? "are refused by the store"
                            : "get no answer from the store",
                    Thrown.textOf(failure));
        }
    }

    /** Logs that the store accepts changes again, and that none is queued any more. */
    public void queueingEnded() {
        LOG.info("cache '{}': the store accepts changes again, and none is queued any more", cache);
    }

    /** Logs that the cache was closed before its queued changes could be sent. */
    public void queuedChangesLost(int number) {
        LOG.warn("cache '{}' was closed with {} queued changes, which other processes will not see", cache, number);
    }

    /** Notes the present state of the store's circuit breaker, for the log. */
    public void breaker(BreakerEvents breaker) {
        store.breaker(breaker);
    }

    public void fault(FaultSource source, Throwable fault) {
        fault(source, fault, "");
    }

    /** Reports a fault; {@code effect} names the key for the log, and says what happens instead. */
    public void fault(FaultSource source, Throwable fault, String effect) {
        if (source == FaultSource.STORE) {
            storeFaults.increment();
            store.failed(cache, fault);
        } else {
            of(source).add(fault, effect);
        }
        report(new CacheEvent.Fault(source, fault));
        Advisor current = advisor;
        if (current != null && fault instanceof StoreException failure && failure.isShortage()) {
            run(() -> current.shortOf(failure));
        }
    }

    /** Reports that the store has answered for some keys only. */
    public void unanswered(int unanswered, int asked) {
        fault(
                FaultSource.STORE,
                new StoreException("the store did not answer for " + unanswered + " of " + asked + " keys"));
    }

    public long faults(FaultSource source) {
        return source == FaultSource.STORE ? storeFaults.sum() : of(source).count();
    }

    private FaultLog of(FaultSource source) {
        return requireNonNull(faults.get(source));
    }

    @SuppressWarnings("CatchingUnchecked") // user callback; in other languages it may throw checked exceptions
    private void run(Runnable callback) {
        try {
            callback.run();
        } catch (Throwable e) {
            listenerFailed(e);
        }
    }

    private void listenerFailed(Throwable thrown) {
        Thrown.rethrowFatal(thrown);
        of(FaultSource.LISTENER).add(thrown, "");
    }
}
