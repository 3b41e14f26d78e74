package io.stampedeguard.internal.peer;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.entry.FailureText;
import io.stampedeguard.internal.flight.Flight;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.near.NearCache;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseNotifications;
import io.stampedeguard.internal.storage.StoreReads;
import io.stampedeguard.internal.storage.StoreReads.Lookup;
import io.stampedeguard.internal.storage.StoreReads.Stored;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.SharedStore;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Completes the flights of leaders that were not granted the lease, with the results of other processes: a published value answers
 * the followers that had joined when the store was asked, a failure answers all. <em>Thread-safe.</em>
 */
public final class PeerResults<K, V> {
    private final SharedStore store;
    private final StoreReads<K, V> reads;
    private final NearCache<K, V> near;
    private final CachePolicy policy;
    private final CacheEvents events;

    public PeerResults(CacheContext context, SharedStore store, StoreReads<K, V> reads, NearCache<K, V> near) {
        this.store = store;
        this.reads = reads;
        this.near = near;
        this.policy = context.policy();
        this.events = context.events();
    }

    /** Completes a flight with the store's answer in place of a lease; returns {@code null} if that is of no use. */
    public @Nullable LoadResult<V> ofAnswer(
            LeaseAttempt instead, Lookup<K, V> lookup, Flight<LoadResult<V>> flight, boolean hasWaited) {
        return instead instanceof LeaseAttempt.Failed failed
                ? failed(failed.failure(), failed.remaining(), flight)
                : found(((LeaseAttempt.Found) instead).stored(), lookup, flight, hasWaited);
    }

    /**
     * Completes a flight with the entry that the request for a lease has found, for a key that was not read before: a hit, like
     * one of a read, stale or not. Returns its lookup; {@code null} if the entry is of no use.
     */
    public @Nullable Lookup<K, V> hit(LeaseAttempt.Found found, Lookup<K, V> unread, Flight<LoadResult<V>> flight) {
        Lookup<K, V> lookup = reads.found(unread, found.stored());
        Stored<V> stored = lookup.stored();
        if (stored == null) {
            return null;
        }
        flight.completeForEarly(new LoadResult.Value<>(stored.value(), stored.source()));
        return lookup;
    }

    /** Notes the miss of a key that was not read before. */
    public void missed(Lookup<K, V> unread) {
        reads.found(unread, null);
    }

    /** Returns whether an entry that was found, and is of no use here, must stay. */
    public boolean isForOthers(LeaseAttempt.Found found) {
        return reads.isForOthers(found.stored());
    }

    /**
     * Completes a flight with the notification of the lease's holder; returns {@code null} if there is none, or it is of no use.
     * If the store has to be read, that waits for a connection until the deadline.
     */
    public @Nullable LoadResult<V> ofNotice(
            LeaseNotifications.@Nullable Notice notice,
            Lookup<K, V> lookup,
            Flight<LoadResult<V>> flight,
            Deadline deadline) {
        if (notice instanceof LeaseNotifications.Notice.Failed failed) {
            return failed(failed.failure(), failed.coolDown(), flight);
        }
        if (notice instanceof LeaseNotifications.Notice.Published published) {
            if (published.entry() == null) {
                return readForAll(
                        lookup, flight, deadline); // while others join: if the read fails, nobody leads beside this one
            }
            flight.detach();
            return flight.hasLatecomers()
                    ? readForAll(lookup, flight, deadline)
                    : found(published.entry(), lookup, flight, true);
        }
        return notice instanceof LeaseNotifications.Notice.Unstored unstored
                ? shown(lookup.storeKey(), unstored.entry(), flight)
                : null;
    }

    /** A result that is not stored answers the followers that had joined when the store was asked, and is not kept. */
    private @Nullable LoadResult<V> shown(String storeKey, byte[] entry, Flight<LoadResult<V>> flight) {
        return completed(reads.decode(storeKey, entry), flight, true);
    }

    /**
     * One read for all followers, in place of one for each that joined too late for the last answer; or of an entry that is too
     * large for a message, in place of another request for the lease, which would wait for a permit.
     */
    private @Nullable LoadResult<V> readForAll(Lookup<K, V> lookup, Flight<LoadResult<V>> flight, Deadline deadline) {
        flight.beginAttempt();
        try {
            return found(store.read(lookup.storeKey(), deadline.remaining()), lookup, flight, true);
        } catch (StoreException e) {
            events.report(EventType.STORE_UNAVAILABLE);
            events.fault(FaultSource.STORE, e);
            return null;
        }
    }

    /** Completes a flight with an entry that was read after the last attempt began; returns {@code null} if it is of no use. */
    public @Nullable LoadResult<V> found(byte @Nullable [] entry, Lookup<K, V> lookup, Flight<LoadResult<V>> flight) {
        return found(entry, lookup, flight, false);
    }

    private @Nullable LoadResult<V> found(
            byte @Nullable [] entry, Lookup<K, V> lookup, Flight<LoadResult<V>> flight, boolean hasWaited) {
        Stored<V> stored = reads.decode(lookup.storeKey(), entry);
        if (stored != null) {
            near.keep(lookup.key(), lookup.ticket(), stored.value(), stored.entry());
        }
        return completed(stored, flight, hasWaited);
    }

    private @Nullable LoadResult<V> completed(
            @Nullable Stored<V> stored, Flight<LoadResult<V>> flight, boolean hasWaited) {
        if (stored == null) {
            return null;
        }
        if (hasWaited) {
            events.wakeUp(TimeUnit.MILLISECONDS.toNanos(stored.ageMillis()));
        }
        LoadResult<V> outcome = new LoadResult.Value<>(stored.value(), AnswerSource.COALESCED);
        flight.completeForEarly(outcome);
        return outcome;
    }

    /** Completes a flight as {@link #ofAnswer} does, for a leader that does not wait; returns how long the key rests. */
    public Duration restAfter(LeaseAttempt instead, Lookup<K, V> lookup, Flight<LoadResult<V>> flight) {
        if (instead instanceof LeaseAttempt.Found found) {
            found(found.stored(), lookup, flight);
        }
        if (instead instanceof LeaseAttempt.Held held) {
            return shorter(held.remaining(), policy.maxPollInterval());
        }
        return instead instanceof LeaseAttempt.Failed failed
                ? shorter(failed.remaining(), policy.maxCoolDown())
                : Duration.ZERO;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static <V> LoadResult<V> failed(byte[] failure, Duration coolDown, Flight<LoadResult<V>> flight) {
        LoadResult<V> outcome = new LoadResult.RecentFailure<>(FailureText.decode(failure), coolDown);
        flight.completeForAll(outcome);
        return outcome;
    }
}
