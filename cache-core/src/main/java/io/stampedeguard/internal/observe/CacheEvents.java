package io.stampedeguard.internal.observe;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.Advice;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.FilterOutcome;
import io.stampedeguard.event.LeaseOutcome;
import io.stampedeguard.event.LoadOutcome;
import io.stampedeguard.event.Operation;
import io.stampedeguard.event.OperationScope;
import io.stampedeguard.event.ReadOutcome;
import io.stampedeguard.event.RefreshOutcome;
import io.stampedeguard.event.WaitOutcome;
import io.stampedeguard.policy.PrefetchOptions;
import io.stampedeguard.store.StoreException;
import io.stampedeguard.time.TimeSource;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What one cache tells the outside: events to the listener, faults to the log and to counters as well. A listener that
 * throws costs a count and a log line. <em>Thread-safe.</em>
 */
public final class CacheEvents {
    private final Map<FaultSource, FaultLog> faults = new EnumMap<>(FaultSource.class);
    private final String cache;
    private final CacheListener listener;
    private volatile @Nullable Advisor advisor;
    private final AtomicInteger waiting = new AtomicInteger();

    public CacheEvents(String cache, CacheListener listener, TimeSource time) {
        this.cache = cache;
        this.listener = listener;
        for (FaultSource source : FaultSource.values()) {
            faults.put(source, new FaultLog(cache, source.name().toLowerCase(Locale.ROOT), time));
        }
    }

    /** Without the detour of the other events, which may allocate; so are {@link #read} and {@link #filter}. */
    @SuppressWarnings("CatchingUnchecked") // foreign code
    public void answer(AnswerSource source) {
        try {
            listener.onAnswer(cache, source);
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            of(FaultSource.LISTENER).add(e);
        }
    }

    @SuppressWarnings("CatchingUnchecked") // foreign code
    public void read(ReadOutcome outcome) {
        try {
            listener.onRead(cache, outcome);
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            of(FaultSource.LISTENER).add(e);
        }
    }

    @SuppressWarnings("CatchingUnchecked") // foreign code
    public void filter(FilterOutcome outcome) {
        try {
            listener.onFilter(cache, outcome);
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            of(FaultSource.LISTENER).add(e);
        }
    }

    /** A caller has an answer of the store, of an entry that is so old. */
    public void answer(AnswerSource source, long ageMillis) {
        answer(source);
        if (source == AnswerSource.STALE) {
            stale(ageMillis);
        }
    }

    public void stale(long ageMillis) {
        tell(to -> to.onStale(cache, Math.max(0, ageMillis)));
    }

    public void open(CacheGauges gauges) {
        tell(to -> to.onOpen(cache, gauges));
    }

    public void close(CacheGauges gauges) {
        tell(to -> to.onClose(cache, gauges));
    }

    public void stored(int payloadBytes) {
        tell(to -> to.onStored(cache, payloadBytes));
    }

    public void coolDown(long millis) {
        tell(to -> to.onCoolDown(cache, millis));
    }

    void advice(Advice advice, String words) {
        tell(to -> to.onAdvice(cache, advice, words));
    }

    /** From then on it is told what it looks at. */
    public void advisedBy(Advisor other) {
        advisor = other;
    }

    public void nearGap() {
        tell(to -> to.onNearGap(cache));
    }

    public void wakeUp(long lagNanos) {
        tell(to -> to.onWakeUp(cache, Math.max(0, lagNanos)));
    }

    /** Without a detour, as {@link #answer(AnswerSource)}. */
    @SuppressWarnings("CatchingUnchecked") // foreign code
    public OperationScope begin(Operation operation) {
        try {
            return listener.onOperation(cache, operation);
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            of(FaultSource.LISTENER).add(e);
            return OperationScope.NONE;
        }
    }

    @SuppressWarnings("CatchingUnchecked") // foreign code
    public void end(OperationScope scope, @Nullable Throwable failure) {
        try {
            scope.end(failure);
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            of(FaultSource.LISTENER).add(e);
        }
    }

    /** A caller begins to wait; each time it is said, the end is to be said once. */
    public void waits() {
        waiting.incrementAndGet();
    }

    public void waitsNoMore() {
        waiting.decrementAndGet();
    }

    /** Returns how many callers wait for a load of somebody else. */
    public int waiting() {
        return waiting.get();
    }

    public void lease(LeaseOutcome outcome) {
        tell(to -> to.onLease(cache, outcome));
    }

    /** The loader was called, once, for one key or for many: no event of a listener's. */
    public void called(long nanos) {
        Advisor told = advisor;
        if (told != null) {
            told.called(nanos);
        }
    }

    public void load(LoadOutcome outcome, long nanos) {
        Advisor told = advisor;
        if (told != null) {
            tell(to -> told.loaded(nanos)); // asks the filter
        }
        tell(to -> to.onLoad(cache, outcome, nanos));
    }

    /** A load has found that the origin has none. */
    public void absent() {
        tell(to -> to.onAbsent(cache));
    }

    public void stuckLoads(int running) {
        tell(to -> to.onStuckLoads(cache, running));
    }

    public void waited(WaitOutcome outcome, long nanos) {
        tell(to -> to.onWait(cache, outcome, nanos));
    }

    public void refresh(RefreshOutcome outcome) {
        tell(to -> to.onRefresh(cache, outcome));
    }

    /** Reports progress to the listeners, and to a receiver that is no listener but foreign code as they are. */
    public void prefetch(PrefetchOptions.Progress progress, int done, int total) {
        tell(to -> progress.made(done, total));
        tell(to -> to.onPrefetch(cache, done, total));
    }

    public void fault(FaultSource source, Throwable fault) {
        of(source).add(fault);
        tell(to -> to.onFault(cache, source, fault));
        Advisor told = advisor;
        if (told != null && fault instanceof StoreException failure && failure.isShortage()) {
            tell(to -> told.shortOf(failure)); // asks the store, which may be foreign code
        }
    }

    /** The store has answered for some keys only. */
    public void unanswered(int unanswered, int asked) {
        fault(
                FaultSource.STORE,
                new StoreException("the store has not answered for " + unanswered + " of " + asked + " keys"));
    }

    public long faults(FaultSource source) {
        return of(source).count();
    }

    private FaultLog of(FaultSource source) {
        return requireNonNull(faults.get(source));
    }

    @SuppressWarnings("CatchingUnchecked") // foreign code; in other languages it throws checked exceptions as well
    private void tell(Consumer<CacheListener> event) {
        try {
            event.accept(listener);
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            of(FaultSource.LISTENER).add(e);
        }
    }
}
