package io.stampedeguard.store;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.Fence;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Marks;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an {@link InMemoryStore} contains for one key: an entry, and a lease or a mark in its place, each with its end; either
 * may be absent. <em>Immutable</em>, except for the bytes.
 */
record Slot(
        byte @Nullable [] entry, long entryEnd, @Nullable LeaseOrMark leaseOrMark) {
    static final Slot EMPTY = new Slot(null, 0, null);

    /** A lease, or a mark in its place. */
    sealed interface LeaseOrMark {
        /** Returns when it expires. */
        long end();
    }

    /** A lease; the stamp is the generation of its cache when it was granted. */
    record Lease(LeaseToken token, long end, long stamp) implements LeaseOrMark {}

    record Mark(LeaseEnd.Fail failed, long coolEnd, long end) implements LeaseOrMark {}

    record Passed(long end) implements LeaseOrMark {}

    /** A fence of a look-up, which keeps nobody from the lease; with the number of loads that had failed in a row. */
    record Fenced(LeaseToken token, int failures, long end) implements LeaseOrMark {}

    /** Returns the slot at a time, without expired parts. */
    Slot at(long now) {
        boolean entryOver = entry != null && now - entryEnd >= 0;
        boolean leaseOver = leaseOrMark != null && now - leaseOrMark.end() >= 0;
        if (!entryOver && !leaseOver) {
            return this;
        }
        return new Slot(entryOver ? null : entry, entryEnd, leaseOver ? null : leaseOrMark);
    }

    @Nullable
    Slot orNull() {
        return entry == null && leaseOrMark == null ? null : this;
    }

    byte @Nullable [] unseen(@Nullable LeaseToken seen) {
        LeaseToken published = entry == null ? null : LeaseToken.startOf(entry);
        return published == null || published.equals(seen) ? null : entry;
    }

    boolean beginsWith(@Nullable LeaseToken token) {
        return entry != null && token != null && token.equals(LeaseToken.startOf(entry));
    }

    boolean isHeldBy(LeaseToken token) {
        return leaseOrMark instanceof Lease lease && lease.token.equals(token);
    }

    /** Returns the slot, whose lease is held, with another end of the lease. */
    Slot renewed(long end) {
        Lease lease = (Lease) requireNonNull(leaseOrMark);
        return with(new Lease(lease.token, end, lease.stamp));
    }

    /** Returns whether the lease, which is held, is not for a value with these tags, since one was changed after it was granted. */
    boolean isOutdated(List<String> tags, Marks marks) {
        return marks.isOutdated(((Lease) requireNonNull(leaseOrMark)).stamp, tags);
    }

    /** Returns whether the lease is not held and the key is not cooling down. */
    boolean isFree(long now) {
        return leaseOrMark == null
                || leaseOrMark instanceof Fenced
                || (leaseOrMark instanceof Mark mark && now - mark.coolEnd >= 0);
    }

    /** Returns the answer to a request for the lease at a time. */
    LeaseAttempt answerTo(LeaseRequest request, long now) {
        byte[] unseen = unseen(request.seen());
        if (unseen != null) {
            return new LeaseAttempt.Found(unseen);
        }
        return isHeldBy(request.token()) ? new LeaseAttempt.Granted(0) : leaseAt(now);
    }

    /** Returns the answer to a caller that holds no lease, and seeks no entry. */
    LeaseAttempt leaseAt(long now) {
        if (isFree(now)) {
            return new LeaseAttempt.Granted(failures());
        }
        if (leaseOrMark instanceof Passed passed) {
            return new LeaseAttempt.NotCacheable(Duration.ofNanos(passed.end - now));
        }
        return leaseOrMark instanceof Mark mark
                ? new LeaseAttempt.Failed(
                        mark.failed.failure(), Duration.ofNanos(mark.coolEnd - now), mark.failed.inARow())
                : held((Lease) requireNonNull(leaseOrMark), now);
    }

    private static LeaseAttempt held(Lease lease, long now) {
        return new LeaseAttempt.Held(lease.token, Duration.ofNanos(lease.end - now));
    }

    int failures() {
        if (leaseOrMark instanceof Fenced fenced) {
            return fenced.failures;
        }
        return leaseOrMark instanceof Mark mark ? mark.failed.inARow() : 0;
    }

    /** Returns the token of the fence; {@code null} if there is none. */
    @Nullable
    LeaseToken fence() {
        return leaseOrMark instanceof Fenced fenced ? fenced.token : null;
    }

    /** Returns the slot with a fence, which lasts at least until the given end; without one if the lease is not free. */
    Slot fenced(LeaseToken token, long now, long end) {
        if (!isFree(now)) {
            return this;
        }
        LeaseToken present = fence();
        long last = leaseOrMark == null ? end : now + Math.max(end - now, leaseOrMark.end() - now);
        return with(new Fenced(present == null ? token : present, failures(), last));
    }

    /** Returns whether the fence of a put is still there, or the entry that stands for it, and no tag of the put was changed since. */
    boolean passes(Change.Put put, Fence fence, Marks marks) {
        Change.Expire expiry = fence.expiry();
        boolean isThere = expiry == null
                ? fence.token() != null && fence.token().equals(fence())
                : beginsWith(fence.token()) && !Arrays.equals(entry, overwritten(expiry.offset(), expiry.mark()).entry);
        return isThere && !marks.isOutdated(fence.stamp(), put.tags());
    }

    Slot with(@Nullable LeaseOrMark other) {
        return new Slot(entry, entryEnd, other);
    }

    Slot until(long end) {
        return new Slot(entry, end, leaseOrMark);
    }

    Slot overwritten(int offset, byte[] mark) {
        if (entry == null || entry.length < offset + mark.length) {
            return this;
        }
        byte[] marked = Arrays.copyOf(entry, entry.length);
        System.arraycopy(mark, 0, marked, offset, mark.length);
        return new Slot(marked, entryEnd, leaseOrMark);
    }
}
