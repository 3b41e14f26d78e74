package io.stampedeguard.demo.member;

import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.ReadOutcome;
import io.stampedeguard.event.WaitOutcome;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the gets of callers that were not answered at once with a fresh product: those that waited for the database,
 * through a load of their own or somebody else's, and those that were answered with a stale one. What happens behind the
 * callers is noted, too, and not counted. <em>Thread-safe.</em>
 */
final class Answers implements CacheListener {
    private final Set<Thread> waiting = ConcurrentHashMap.newKeySet();
    private final Set<Thread> servedStale = ConcurrentHashMap.newKeySet();
    private final LongAdder waited = new LongAdder();
    private final LongAdder stale = new LongAdder();
    private final LongAdder foundNothing = new LongAdder();
    private final Errors errors;

    /** {@code errors} is told of those that no caller sees. */
    Answers(Errors errors) {
        this.errors = errors;
    }

    /** This thread loads. */
    void loading() {
        waiting.add(Thread.currentThread());
    }

    /** A query found no row. */
    void foundNothing() {
        foundNothing.increment();
    }

    @Override
    public void onWait(String cache, WaitOutcome outcome, long nanos) {
        waiting.add(Thread.currentThread());
    }

    @Override
    public void onRead(String cache, ReadOutcome outcome) {
        if (outcome == ReadOutcome.STALE) {
            servedStale.add(Thread.currentThread());
        }
    }

    @Override
    public void onFault(String cache, FaultSource source, Throwable fault) {
        errors.add(fault);
    }

    /** This thread is a caller's, and has its answer. */
    void answered() {
        if (waiting.remove(Thread.currentThread())) {
            waited.increment();
        }
        if (servedStale.remove(Thread.currentThread())) {
            stale.increment();
        }
    }

    /** Returns how many gets waited for the database. */
    long waited() {
        return waited.sum();
    }

    /** Returns how many queries found no row. */
    long queriesForNothing() {
        return foundNothing.sum();
    }

    /** Returns how many gets were answered with a stale product. */
    long stale() {
        return stale.sum();
    }
}
