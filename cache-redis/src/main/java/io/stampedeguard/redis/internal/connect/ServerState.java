package io.stampedeguard.redis.internal.connect;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** Whether a server answers, according to completed calls. <em>Thread-safe.</em> */
final class ServerState {
    private final LongAdder answers = new LongAdder();
    private volatile @Nullable Silence last;

    /** A call without an answer. Each is equal only to itself. */
    private static final class Silence {
        private final RuntimeException failure;
        private final long answersBefore;

        Silence(RuntimeException failure, long answersBefore) {
            this.failure = failure;
            this.answersBefore = answersBefore;
        }
    }

    /** A moment for comparison with a later one. */
    final class Moment {
        private final long answersBefore = answers.sum();
        private final @Nullable Silence lastBefore = last;

        /** Returns the failure of the last call since then, {@code null} for none, or if the server has answered another call. */
        @Nullable
        RuntimeException silenceSince() {
            Silence now = last;
            return now == null || now == lastBefore || answers.sum() != answersBefore ? null : now.failure;
        }
    }

    Moment now() {
        return new Moment();
    }

    void answered() {
        answers.increment();
    }

    /** Notes the failure of a call; a refusal is an answer. */
    void failed(RuntimeException failure) {
        if (failure instanceof JedisDataException) {
            answered();
        } else if (failure instanceof JedisConnectionException && RedisFailure.isOfServer(failure)) {
            last = new Silence(failure, answers.sum());
        }
    }

    @Override
    public String toString() {
        Silence silence = last;
        if (silence != null && silence.answersBefore == answers.sum()) {
            return "does not answer: " + RedisFailure.reason(silence.failure);
        }
        return answers.sum() == 0 ? "not asked yet" : "answers";
    }
}
