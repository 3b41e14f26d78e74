package io.stampedeguard.testkit;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.FilterOutcome;
import io.stampedeguard.event.LeaseOutcome;
import io.stampedeguard.event.LoadOutcome;
import io.stampedeguard.event.ReadOutcome;
import io.stampedeguard.event.RefreshOutcome;
import io.stampedeguard.event.WaitOutcome;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records the events of a cache: each event as its outcome, a fault as its source. <em>Thread-safe.</em> */
public final class RecordingListener implements CacheListener {
    private final Queue<Enum<?>> events =
            new ConcurrentLinkedQueue<>(); // of many thousands: copied when it is requested
    private final List<Integer> stuckLoads = new CopyOnWriteArrayList<>();
    private final List<String> prefetched = new CopyOnWriteArrayList<>();
    private final List<Throwable> faults = new CopyOnWriteArrayList<>();

    /** Returns the reported numbers of stuck loads, in order. */
    public List<Integer> stuckLoads() {
        return stuckLoads;
    }

    /** Returns the progress of prefetches after each batch, in order. */
    public List<String> prefetched() {
        return prefetched;
    }

    /** Returns all outcomes so far, in order. */
    public List<Enum<?>> events() {
        return List.copyOf(events);
    }

    /** Returns how often an outcome was reported so far. */
    public long count(Enum<?> outcome) {
        return events.stream().filter(outcome::equals).count();
    }

    /** Returns all faults so far. */
    public List<Throwable> faults() {
        return faults;
    }

    @Override
    public void onAnswer(String cache, AnswerSource source) {
        events.add(source);
    }

    @Override
    public void onFilter(String cache, FilterOutcome outcome) {
        events.add(outcome);
    }

    @Override
    public void onRead(String cache, ReadOutcome outcome) {
        events.add(outcome);
    }

    @Override
    public void onLease(String cache, LeaseOutcome outcome) {
        events.add(outcome);
    }

    @Override
    public void onLoad(String cache, LoadOutcome outcome, long nanos) {
        events.add(outcome);
    }

    @Override
    public void onStuckLoads(String cache, int running) {
        stuckLoads.add(running);
    }

    @Override
    public void onWait(String cache, WaitOutcome outcome, long nanos) {
        events.add(outcome);
    }

    @Override
    public void onRefresh(String cache, RefreshOutcome outcome) {
        events.add(outcome);
    }

    @Override
    public void onPrefetch(String cache, int done, int total) {
        prefetched.add(done + " of " + total);
    }

    @Override
    public void onFault(String cache, FaultSource source, Throwable fault) {
        events.add(source);
        faults.add(fault);
    }
}
