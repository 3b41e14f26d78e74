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
 * Knows of the call under way on a thread whether the store has answered it, counts what shows that a run was worth its
 * time, and now and then holds a thread up where it stands. <em>Thread-safe.</em>
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

    /** Returns whose answer a get of this thread has returned since {@link #begin}. */
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
        // Most calls are hits, and there the call is as good as over.
        if (outcome != ReadOutcome.FRESH) {
            hesitation.maybe();
        }
    }

    @Override
    public void onAnswer(String cache, AnswerSource source) {
        if (source == AnswerSource.NEAR) {
            answer.set(Ending.NEAR);
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
