package io.stampedeguard.redis.internal.command;

import io.stampedeguard.redis.internal.connect.Turn;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseToken;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer of {@code lease.lua}: a word, its values, and with some words the clock. <em>Immutable</em>, except for the bytes.
 *
 * @param attempt the result
 * @param serverNanos the server's clock, if the answer contains it
 */
public record LeaseAnswer(LeaseAttempt attempt, @Nullable Long serverNanos) {
    public static LeaseAnswer of(Object reply) {
        List<?> answer = (List<?>) reply;
        String word = new String((byte[]) answer.get(0), StandardCharsets.US_ASCII);
        return switch (word) {
            case "granted" -> timed(new LeaseAttempt.Granted(((Long) answer.get(1)).intValue()), answer);
            case "found" -> timed(new LeaseAttempt.Found((byte[]) answer.get(1)), answer);
            case "held" -> untimed(new LeaseAttempt.Held(holder((byte[]) answer.get(1)), millis(answer.get(2))));
            case "pass" -> untimed(new LeaseAttempt.NotCacheable(millis(answer.get(1))));
            case "failed" -> untimed(new LeaseAttempt.Failed((byte[]) answer.get(1), millis(answer.get(2))));
            default -> throw new IllegalStateException("lease.lua answered " + word);
        };
    }

    boolean isTimed() {
        return serverNanos != null;
    }

    /** Updates the clock if the answer contains it. */
    public void teach(StoreClock clock, Turn turn) {
        if (serverNanos != null) {
            clock.learn(serverNanos, turn.sentNanos());
        }
    }

    private static LeaseAnswer timed(LeaseAttempt attempt, List<?> answer) {
        return new LeaseAnswer(attempt, StoreClock.nanosIn(answer.subList(2, 4)));
    }

    private static LeaseAnswer untimed(LeaseAttempt attempt) {
        return new LeaseAnswer(attempt, null);
    }

    private static @Nullable LeaseToken holder(byte[] stored) {
        return stored.length == LeaseToken.BYTES ? LeaseToken.startOf(stored) : null;
    }

    private static Duration millis(Object number) {
        return Duration.ofMillis((Long) number);
    }
}
