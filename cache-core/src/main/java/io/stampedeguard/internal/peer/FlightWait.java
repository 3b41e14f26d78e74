package io.stampedeguard.internal.peer;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.Operation;
import io.stampedeguard.event.OperationScope;
import io.stampedeguard.internal.flight.Flight.Membership;
import io.stampedeguard.internal.lease.KeyRequest;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.observe.HotKeys;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * The waits of callers for flights that other callers of this process lead, with a thread or without. Waiting callers never invoke
 * the loader. <em>Thread-safe.</em>
 */
public final class FlightWait<K, V> {
    private final TimeSource time;
    private final CacheEvents events;
    private final HotKeys hotKeys;

    public FlightWait(CacheContext context) {
        this.time = context.time();
        this.events = context.events();
        this.hotKeys = context.hotKeys();
    }

    /** Waits for the flight that a request follows; returns its result, or {@code null} if this caller has to retry. */
    public @Nullable LoadResult<V> follow(KeyRequest<K, V> request, Deadline deadline) {
        long began = begin(request);
        OperationScope operation = events.begin(Operation.WAIT);
        try {
            request.membership().await(time, deadline.remainingNanos());
        } catch (InterruptedException e) {
            request.membership().leave();
            events.report(EventType.WAIT_INTERRUPTED, time.monotonicNanos() - began);
            throw Failures.interrupted(request.storeKey(), e);
        } finally {
            events.waitsNoMore();
            events.end(operation, null);
        }
        return resultAfter(request, deadline, began);
    }

    /** Begins a wait without a thread, which is to be {@link #end ended} or {@link #abandon abandoned}; returns when it began. */
    public long begin(KeyRequest<K, V> request) {
        hotKeys.waits(request.storeKey());
        events.waits();
        return time.monotonicNanos();
    }

    /** Ends a wait whose caller needs no result any more. */
    public void abandon(KeyRequest<K, V> request) {
        events.waitsNoMore();
        request.membership().leave();
    }

    /** Ends a wait, because the flight is complete or the deadline has passed; returns the result, or {@code null} to retry. */
    public @Nullable LoadResult<V> end(KeyRequest<K, V> request, Deadline deadline, long beganNanos) {
        events.waitsNoMore();
        return resultAfter(request, deadline, beganNanos);
    }

    private @Nullable LoadResult<V> resultAfter(KeyRequest<K, V> request, Deadline deadline, long beganNanos) {
        Membership<LoadResult<V>> membership = request.membership();
        // A value loaded without a lease is for callers that could not reach the store: others may have seen an
        // invalidation.
        LoadResult<V> outcome = request.reloads()
                ? ofLaterLoad(membership)
                : request.lookup().storeAnswers() ? membership.result() : membership.resultWithoutStore();
        boolean timedOut = outcome == null && deadline.isOver();
        EventType waited = outcome == null ? EventType.WAIT_RETRY : EventType.WAIT_ANSWERED;
        events.report(timedOut ? EventType.WAIT_TIMED_OUT : waited, time.monotonicNanos() - beganNanos);
        if (timedOut) {
            membership.leave();
            hotKeys.waited();
            throw Failures.waitTimeout(request.storeKey());
        }
        if (outcome == null) {
            return null;
        }
        long completed = membership.completedNanos(); // it may have completed before this caller began to wait
        events.wakeUp(time.monotonicNanos() - (completed - beganNanos > 0 ? completed : beganNanos));
        hotKeys.waited();
        return outcome.waitedFor();
    }

    /** Returns how a load has ended that began after this caller had joined; {@code null} if it did not, or what was found is older. */
    private static <V> @Nullable LoadResult<V> ofLaterLoad(Membership<LoadResult<V>> membership) {
        LoadResult<V> result = membership.resultOfLaterAttempt();
        return result instanceof LoadResult.Value<V> value && value.source() != AnswerSource.LOADED ? null : result;
    }
}
