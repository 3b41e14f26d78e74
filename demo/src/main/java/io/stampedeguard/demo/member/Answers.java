package io.stampedeguard.demo.member;

import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts of the gets that did not immediately return a fresh product: those that waited for the database, through their own load
 * or that of another caller, and those that returned a stale product. Background loads are recorded, but not counted. Errors are
 * counted, in gets and in the background. <em>Thread-safe.</em>
 */
final class Answers implements CacheListener {
    private final Set<Thread> waiting = ConcurrentHashMap.newKeySet();
    private final Set<Thread> servedStale = ConcurrentHashMap.newKeySet();
    private final LongAdder waited = new LongAdder();
    private final LongAdder stale = new LongAdder();
    private final LongAdder foundNothing = new LongAdder();
    private final AtomicLong errors = new AtomicLong();
    private final AtomicReference<String> firstError = new AtomicReference<>("");
    private final boolean withoutStoreCalls;

    /** Creates counts; without errors of store calls if Redis is stopped deliberately. */
    Answers(boolean withoutStoreCalls) {
        this.withoutStoreCalls = withoutStoreCalls;
    }

    void loading() {
        waiting.add(Thread.currentThread());
    }

    void foundNothing() {
        foundNothing.increment();
    }

    @Override
    public void onEvent(String cache, CacheEvent event) {
        if (event == EventType.STORE_STALE) {
            servedStale.add(Thread.currentThread());
        } else if (event instanceof CacheEvent.Fault fault) {
            if (!withoutStoreCalls || fault.source() != FaultSource.STORE) {
                failed(fault.exception());
            }
        } else if (event.type().name().startsWith("WAIT_")) {
            waiting.add(Thread.currentThread());
        }
    }

    /** Records that this thread, which is a caller's, has its answer. */
    void answered() {
        if (waiting.remove(Thread.currentThread())) {
            waited.increment();
        }
        if (servedStale.remove(Thread.currentThread())) {
            stale.increment();
        }
    }

    void failed(Throwable error) {
        Throwable cause = error.getCause() == null ? error : error.getCause();
        firstError.compareAndSet("", cause.getClass().getSimpleName() + ": " + cause.getMessage());
        errors.incrementAndGet();
    }

    long errors() {
        return errors.get();
    }

    /** Returns the first error; empty if there was none. */
    String firstError() {
        return firstError.get();
    }

    long waited() {
        return waited.sum();
    }

    long queriesForNothing() {
        return foundNothing.sum();
    }

    long stale() {
        return stale.sum();
    }
}
