package io.stampedeguard.redis.history;

import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.LeaseOutcome;
import io.stampedeguard.event.LoadOutcome;
import io.stampedeguard.event.ReadOutcome;
import io.stampedeguard.redis.history.CommonGround.Count;

/**
 * Knows of the call under way on a thread whether the store has answered it, and counts what shows that a run was worth
 * its time. <em>Thread-safe.</em>
 */
final class ReachedStore implements CacheListener {
    private final CommonGround ground;
    private final ThreadLocal<Boolean> unanswered = ThreadLocal.withInitial(() -> false);

    ReachedStore(CommonGround ground) {
        this.ground = ground;
    }

    /** Another call begins on this thread. */
    void begin() {
        unanswered.set(false);
    }

    /** Tells whether the store has answered this thread each time since {@link #begin}. */
    boolean thisThread() {
        return !unanswered.get();
    }

    @Override
    public void onRead(String cache, ReadOutcome outcome) {
        if (outcome == ReadOutcome.UNAVAILABLE) {
            unanswered.set(true);
        } else if (outcome == ReadOutcome.STALE) {
            ground.count(Count.STALE);
        }
    }

    @Override
    public void onLease(String cache, LeaseOutcome outcome) {
        if (outcome == LeaseOutcome.HELD) {
            ground.count(Count.HELD);
        }
    }

    @Override
    public void onLoad(String cache, LoadOutcome outcome, long nanos) {
        if (outcome == LoadOutcome.STORED) {
            ground.count(Count.STORED);
        } else if (outcome == LoadOutcome.REFUSED) {
            ground.count(Count.REFUSED);
        }
    }
}
