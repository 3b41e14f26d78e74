package io.stampedeguard;

import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.LeaseOutcome;
import io.stampedeguard.event.LoadOutcome;
import io.stampedeguard.event.ReadOutcome;
import io.stampedeguard.event.RefreshOutcome;
import io.stampedeguard.event.WaitOutcome;
import io.stampedeguard.time.TimeSource;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * What one cache tells the outside: events to the listener, faults to the log and to counters as well. A listener that
 * throws costs a count and a log line. <em>Thread-safe.</em>
 */
final class CacheEvents {
    private final LongAdder[] faults = new LongAdder[FaultSource.values().length];
    private final String cache;
    private final CacheListener listener;
    private final ThrottledLog log;

    CacheEvents(String cache, CacheListener listener, TimeSource time) {
        this.cache = cache;
        this.listener = listener;
        this.log = new ThrottledLog(cache, time);
        for (int i = 0; i < faults.length; i++) {
            faults[i] = new LongAdder();
        }
    }

    void read(ReadOutcome outcome) {
        tell(to -> to.onRead(cache, outcome));
    }

    void lease(LeaseOutcome outcome) {
        tell(to -> to.onLease(cache, outcome));
    }

    void load(LoadOutcome outcome, long nanos) {
        tell(to -> to.onLoad(cache, outcome, nanos));
    }

    void waited(WaitOutcome outcome, long nanos) {
        tell(to -> to.onWait(cache, outcome, nanos));
    }

    void refresh(RefreshOutcome outcome) {
        tell(to -> to.onRefresh(cache, outcome));
    }

    void fault(FaultSource source, Throwable fault) {
        count(source, fault);
        tell(to -> to.onFault(cache, source, fault));
    }

    long faults(FaultSource source) {
        return faults[source.ordinal()].sum();
    }

    private void count(FaultSource source, Throwable fault) {
        faults[source.ordinal()].increment();
        log.warn(source, fault);
    }

    private void tell(Consumer<CacheListener> event) {
        try {
            event.accept(listener);
        } catch (RuntimeException | LinkageError | AssertionError e) {
            count(FaultSource.LISTENER, e);
        }
    }
}
