package io.stampedeguard.redis;

import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseToken;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** Understands what {@code lease.lua} returns: the clock (two elements), a word, and what belongs to the word. */
final class LeaseAnswer {
    private LeaseAnswer() {}

    static LeaseAttempt of(List<?> answer) {
        String word = new String((byte[]) answer.get(2), StandardCharsets.US_ASCII);
        return switch (word) {
            case "granted" -> new LeaseAttempt.Granted();
            case "found" -> new LeaseAttempt.Found((byte[]) answer.get(3));
            case "held" ->
                new LeaseAttempt.Held(holder((byte[]) answer.get(3)), Duration.ofMillis((Long) answer.get(4)));
            default -> throw new IllegalStateException("lease.lua answered " + word);
        };
    }

    private static String holder(byte[] stored) {
        LeaseToken token = stored.length == LeaseToken.BYTES ? LeaseToken.startOf(stored) : null;
        return token == null ? "somebody unknown" : token.toString();
    }
}
