package io.stampedeguard.redis.history;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.redis.history.CommonGround.Count;
import io.stampedeguard.testkit.Operation.Ending;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * Records for the current call of a thread whether the store has answered it, counts the events that make a run
 * meaningful, and sometimes delays a thread. <em>Thread-safe.</em>
 */
final class MemberListener implements CacheListener {
    private final CommonGround ground;
    private final Hesitation hesitation;
    private final ThreadLocal<Ending> answer = ThreadLocal.withInitial(() -> Ending.RETURNED);
    private final ThreadLocal<Long> unansweredBefore = ThreadLocal.withInitial(() -> 0L);
    private final LongAdder unanswered = new LongAdder();

    MemberListener(CommonGround ground, Hesitation hesitation) {
        this.ground = ground;
        this.hesitation = hesitation;
    }

    /** Another call begins on this thread. */
    void begin() {
        answer.set(Ending.RETURNED);
        unansweredBefore.set(unanswered.sum());
    }

    /** Returns the source of the answer that a get of this thread has returned since {@link #begin}. */
    Ending answer() {
        return answer.get();
    }

    @Override
    public void onRead(String cache, AnswerSource source) {
        if (source == AnswerSource.NEAR) {
            answer.set(Ending.NEAR);
        } else if (source == AnswerSource.NEAR_DEGRADED) {
            answer.set(Ending.WITHOUT_STORE);
        } else if (source == AnswerSource.COALESCED && unanswered.sum() != unansweredBefore.get()) {
            answer.set(Ending.WITHOUT_STORE); // the load of another caller may not have had an answer
            // (docs/concurrency.md)
        }
    }

    @Override
    public void onEvent(String cache, CacheEvent event) {
        switch (event.type()) {
            case STORE_UNAVAILABLE -> {
                unanswered.increment();
                answer.set(Ending.WITHOUT_STORE);
            }
            case STORE_STALE -> ground.count(Count.STALE);
            case LEASE_HELD -> ground.count(Count.HELD);
            case LOAD_STORED -> ground.count(Count.STORED);
            case LOAD_FENCED -> ground.count(Count.FENCED);
            default -> {}
        }
        if (mayHesitate(event.type())) {
            hesitation.maybe();
        }
    }

    /** Not at a hit: most calls are hits, and there the call has almost ended. */
    private static boolean mayHesitate(EventType type) {
        boolean isStep = Stream.of("STORE_", "LEASE_", "LOAD_", "WAIT_", "REFRESH_")
                .anyMatch(action -> type.name().startsWith(action));
        return isStep && type != EventType.STORE_FRESH;
    }
}
