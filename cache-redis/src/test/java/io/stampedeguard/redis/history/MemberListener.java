package io.stampedeguard.redis.history;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.LeaseOutcome;
import io.stampedeguard.event.LoadOutcome;
import io.stampedeguard.event.ReadOutcome;
import io.stampedeguard.event.RefreshOutcome;
import io.stampedeguard.event.WaitOutcome;
import io.stampedeguard.redis.history.CommonGround.Count;
import io.stampedeguard.testkit.Operation.Ending;

/**
 * Records for the current call of a thread whether the store has answered it, counts the events that make a run
 * meaningful, and sometimes delays a thread. <em>Thread-safe.</em>
 */
final class MemberListener implements CacheListener {
    private final CommonGround ground;
    private final Hesitation hesitation;
    private final ThreadLocal<Ending> answer = ThreadLocal.withInitial(() -> Ending.RETURNED);

    MemberListener(CommonGround ground, Hesitation hesitation) {
        this.ground = ground;
        this.hesitation = hesitation;
    }

    /** Another call begins on this thread. */
    void begin() {
        answer.set(Ending.RETURNED);
    }

    /** Returns the source of the answer that a get of this thread has returned since {@link #begin}. */
    Ending answer() {
        return answer.get();
    }

    @Override
    public void onRead(String cache, ReadOutcome outcome) {
        switch (outcome) {
            case UNAVAILABLE -> answer.set(Ending.WITHOUT_STORE);
            case STALE -> ground.count(Count.STALE);
            default -> {}
        }
        // Most calls are hits, and there the call has almost ended.
        if (outcome != ReadOutcome.FRESH) {
            hesitation.maybe();
        }
    }

    @Override
    public void onAnswer(String cache, AnswerSource source) {
        if (source == AnswerSource.NEAR) {
            answer.set(Ending.NEAR);
        } else if (source == AnswerSource.NEAR_DEGRADED) {
            answer.set(Ending.WITHOUT_STORE);
        }
    }

    @Override
    public void onLease(String cache, LeaseOutcome outcome) {
        if (outcome == LeaseOutcome.HELD) {
            ground.count(Count.HELD);
        }
        hesitation.maybe();
    }

    @Override
    public void onLoad(String cache, LoadOutcome outcome, long nanos) {
        if (outcome == LoadOutcome.STORED) {
            ground.count(Count.STORED);
        } else if (outcome == LoadOutcome.FENCED) {
            ground.count(Count.FENCED);
        }
        hesitation.maybe();
    }

    @Override
    public void onWait(String cache, WaitOutcome outcome, long nanos) {
        hesitation.maybe();
    }

    @Override
    public void onRefresh(String cache, RefreshOutcome outcome) {
        hesitation.maybe();
    }
}
