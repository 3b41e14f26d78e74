package io.stampedeguard.redis.internal.command;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What Redis answers to {@code TIME}. <em>Immutable.</em>
 *
 * @param seconds since the epoch
 * @param micros of the second
 */
public record RedisTime(long seconds, long micros) {
    /** Reads the first two elements of an answer. */
    static RedisTime in(List<?> answer) {
        return new RedisTime(number(answer.get(0)), number(answer.get(1)));
    }

    long nanos() {
        return TimeUnit.SECONDS.toNanos(seconds) + TimeUnit.MICROSECONDS.toNanos(micros);
    }

    private static long number(Object digits) {
        return Long.parseLong(new String((byte[]) digits, StandardCharsets.US_ASCII));
    }
}
