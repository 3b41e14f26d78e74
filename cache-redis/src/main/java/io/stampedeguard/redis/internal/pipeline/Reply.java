package io.stampedeguard.redis.internal.pipeline;

import org.jspecify.annotations.Nullable;

/**
 * What became of one command of many: an answer, or a failure. <em>Immutable.</em>
 *
 * @param value the answer as it came, which may be {@code null}
 * @param failure what was refused, or why there is no answer; commands that have failed together have the same one
 */
public record Reply(@Nullable Object value, @Nullable RuntimeException failure) {
    public static Reply of(@Nullable Object value) {
        return new Reply(value, null);
    }

    public static Reply failed(RuntimeException failure) {
        return new Reply(null, failure);
    }
}
