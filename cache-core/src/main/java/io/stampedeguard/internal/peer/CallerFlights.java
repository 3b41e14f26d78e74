package io.stampedeguard.internal.peer;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.Operation;
import io.stampedeguard.event.OperationScope;
import io.stampedeguard.internal.call.LoadPermits;
import io.stampedeguard.internal.flight.Flight.Membership;
import io.stampedeguard.internal.flight.SingleFlight;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.observe.HotKeys;
import io.stampedeguard.internal.storage.StoreReads.Look;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.time.TimeSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The flights of one cache as callers use them: a caller joins the flight of its key, unless it waits for itself, and waits for a
 * flight that another leads, with a thread or without. Waiting callers never invoke the loader. <em>Thread-safe.</em>
 */
public final class CallerFlights<K, V> {
    private static final long JUST_NOW_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final SingleFlight<LoadResult<V>> flights;
    private final LoadPermits permits;
    private final TimeSource time;
    private final CacheEvents events;
    private final HotKeys hotKeys;

    public CallerFlights(CacheContext context, SingleFlight<LoadResult<V>> flights, LoadPermits permits) {
        this.flights = flights;
        this.permits = permits;
        this.time = context.time();
        this.events = context.events();
        this.hotKeys = context.hotKeys();
    }

    /** Returns whether a caller would lead the flight of a key, and take a permit for it; it may be different a moment later. */
    public boolean wouldLead(String storeKey) {
        return flights.followers(storeKey) < 0 && !permits.isInLoader();
    }

    /**
     * Returns whether a caller would wait for the flight of a key whose leader has found nothing in the store, and has just
     * requested the lease, so that a read of its own would hardly find more. It may be different a moment later.
     */
    public boolean wouldFollowMiss(String storeKey) {
        return flights.hasMissBegunWithin(storeKey, JUST_NOW_NANOS) && !permits.isInLoader();
    }

    /** Returns the keys that this thread is loading: it must not wait for them. */
    public Set<String> loadedByThisThread() {
        return permits.loadedByThisThread();
    }

    /** Joins flights, or begins them; those that the caller leads are complete when the action is over. */
    public <T> T joinAll(List<Look<K, V>> looks, SingleFlight.Action<LoadResult<V>, T, RuntimeException> action) {
        return flights.joinAll(looks, Look::storeKey, action);
    }

    /** Joins the flight of a key if there is one, else returns {@code null}. */
    public @Nullable Membership<LoadResult<V>> joinIfPresent(String storeKey) {
        return flights.follow(storeKey);
    }

    /** Waits for a flight; returns its result, or {@code null} if this caller has to retry. */
    public @Nullable LoadResult<V> follow(Look<K, V> look, Membership<LoadResult<V>> membership, Deadline deadline) {
        long began = begins(look);
        OperationScope operation = events.begin(Operation.WAIT);
        try {
            membership.await(time, deadline.remainingNanos());
        } catch (InterruptedException e) {
            membership.leave();
            events.waited(EventType.WAIT_INTERRUPTED, time.monotonicNanos() - began);
            throw Failures.interrupted(look.storeKey(), e);
        } finally {
            events.waitsNoMore();
            events.end(operation, null);
        }
        return resultAfter(look, membership, deadline, began);
    }

    /** Begins a wait without a thread, which is to be {@link #over} or {@link #abandon abandoned}; returns when it began. */
    public long begins(Look<K, V> look) {
        hotKeys.waits(look.storeKey());
        events.waits();
        return time.monotonicNanos();
    }

    /** Ends a wait whose caller needs no result any more. */
    public void abandon(Membership<LoadResult<V>> membership) {
        events.waitsNoMore();
        membership.leave();
    }

    /** Ends a wait, because the flight is complete or the deadline has passed; returns the result, or {@code null} to retry. */
    public @Nullable LoadResult<V> over(
            Look<K, V> look, Membership<LoadResult<V>> membership, Deadline deadline, long beganNanos) {
        events.waitsNoMore();
        return resultAfter(look, membership, deadline, beganNanos);
    }

    private @Nullable LoadResult<V> resultAfter(
            Look<K, V> look, Membership<LoadResult<V>> membership, Deadline deadline, long beganNanos) {
        LoadResult<V> outcome = resultOf(membership, look);
        boolean timedOut = outcome == null && deadline.isOver();
        EventType waited = outcome == null ? EventType.WAIT_RETRY : EventType.WAIT_ANSWERED;
        events.waited(timedOut ? EventType.WAIT_TIMED_OUT : waited, time.monotonicNanos() - beganNanos);
        if (timedOut) {
            membership.leave();
            hotKeys.waited();
            throw Failures.waitTimeout(look.storeKey());
        }
        if (outcome == null) {
            return null;
        }
        long completed = membership.completedNanos(); // it may have completed before this caller began to wait
        events.wakeUp(time.monotonicNanos() - (completed - beganNanos > 0 ? completed : beganNanos));
        hotKeys.waited();
        return outcome.waitedFor();
    }

    /** A value loaded without a lease is for callers that could not reach the store: others may have seen an invalidation. */
    private @Nullable LoadResult<V> resultOf(Membership<LoadResult<V>> membership, Look<K, V> look) {
        return look.storeAnswers() ? membership.result() : membership.resultWithoutStore();
    }
}
