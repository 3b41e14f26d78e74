package io.stampedeguard.redis.internal.pipeline;

import org.jspecify.annotations.Nullable;

/**
 * The reply to one command of many: an answer, or a failure. <em>Immutable.</em>
 *
 * @param value the raw answer, which may be {@code null}
 * @param failure the refusal, or the cause of a missing answer; commands that failed together share it
 */
public record Reply(@Nullable Object value, @Nullable RuntimeException failure) {
    public static Reply of(@Nullable Object value) {
        return new Reply(value, null);
    }

    public static Reply failed(RuntimeException failure) {
        return new Reply(null, failure);
    }
}
