package io.stampedeguard;

import org.jspecify.annotations.Nullable;

/** What a flight brings to those who wait for it. */
sealed interface Outcome<V> {
    /** A value, or {@code null} for "the origin has none". */
    record Value<V>(@Nullable V value) implements Outcome<V> {}

    /** The exception of the loader; each caller wraps it for itself. */
    record Failure<V>(Throwable cause) implements Outcome<V> {}
}
