package io.stampedeguard.near;

import org.jspecify.annotations.Nullable;

/**
 * A copy of an entry. All times are of the monotonic clock. <em>Immutable.</em>
 *
 * @param <V> the type of the values
 * @param value the value, or {@code null} for "the origin has none"
 * @param ticket taken before the entry was read
 * @param createdMillis when the entry was made, by the store's clock
 * @param refreshAtNanos when it is to be reloaded
 * @param freshUntilNanos until when it may be answered
 * @param hardUntilNanos until when it may be answered when nothing else can be had
 * @param bytes how long the entry and its key are together
 */
public record Copy<V>(
        @Nullable V value,
        Ticket ticket,
        long createdMillis,
        long refreshAtNanos,
        long freshUntilNanos,
        long hardUntilNanos,
        int bytes) {}
