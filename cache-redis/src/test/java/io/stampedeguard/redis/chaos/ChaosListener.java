package io.stampedeguard.redis.chaos;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.BreakerState;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.testkit.Operation.Ending;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;

/**
 * Records who answered the current call of a thread, as far as it can be known: if an answer was reported on another thread, or
 * the keys of a call have different sources, the call counts as the one of which the checker requires least. <em>Thread-safe.</em>
 */
final class ChaosListener implements CacheListener {
    private final List<CacheGauges> gauges = new CopyOnWriteArrayList<>();
    private final LongAdder unanswered = new LongAdder();
    private final ThreadLocal<Answers> answers = ThreadLocal.withInitial(Answers::new);

    /** The name of the state of the circuit breaker, for the timeline. */
    private volatile String breaker = BreakerState.CLOSED.name();

    private static final class Answers {
        private int count;
        private boolean isOfAnother;
        private Ending ending = Ending.RETURNED;

        void add(AnswerSource source) {
            count++;
            isOfAnother |= source == AnswerSource.COALESCED;
            if (source == AnswerSource.NEAR_DEGRADED) {
                ending = Ending.WITHOUT_STORE;
            } else if (source == AnswerSource.NEAR && ending == Ending.RETURNED) {
                ending = Ending.NEAR;
            }
        }
    }

    /** Another call begins on this thread. */
    void begin() {
        answers.remove();
    }

    /** Returns how many reads of the store have had no answer. */
    long unanswered() {
        return unanswered.sum();
    }

    /**
     * Returns who answered the call of this thread, or the one whose future this thread completes, for a number of keys. If reads
     * had no answer since it began, another caller's load may be its answer without the store (docs/concurrency.md).
     */
    Ending answer(int keys, long unansweredBefore) {
        Answers ended = answers.get();
        answers.remove();
        if (ended.isOfAnother && ended.ending == Ending.RETURNED && unanswered() != unansweredBefore) {
            return Ending.WITHOUT_STORE;
        }
        // One answer is reported by the thread that completes the future. Of many, some may be reported by another
        // thread, and this
        // one may still have answers of a future that was complete before its caller looked.
        boolean known = keys == 1 ? ended.count > 0 : ended.count == keys;
        return known ? ended.ending : Ending.WITHOUT_STORE;
    }

    int queuedChanges() {
        return gauges.stream().mapToInt(CacheGauges::queuedChanges).sum();
    }

    String breaker() {
        return breaker;
    }

    @Override
    public void onOpen(String cache, CacheGauges opened) {
        gauges.add(opened);
    }

    @Override
    public void onEvent(String cache, CacheEvent event) {
        if (event instanceof BreakerState state) {
            breaker = state.name();
        } else if (event == EventType.STORE_UNAVAILABLE) {
            unanswered.increment();
        }
    }

    @Override
    public void onRead(String cache, AnswerSource source) {
        answers.get().add(source);
    }
}
