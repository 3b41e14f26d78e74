package io.stampedeguard.internal.near;

/**
 * What is known of a copy besides its value. All times are of the monotonic clock. <em>Immutable.</em>
 *
 * @param ticket taken before the entry was read
 * @param createdMillis when the entry was made, by the store's clock
 * @param refreshAtNanos when it is to be reloaded
 * @param freshUntilNanos until when it may be answered
 * @param softUntilNanos when its soft TTL is over
 * @param hardUntilNanos until when it may be answered when nothing else can be had
 * @param bytes how long the entry and its key are together
 */
public record Lifetime(
        Ticket ticket,
        long createdMillis,
        long refreshAtNanos,
        long freshUntilNanos,
        long softUntilNanos,
        long hardUntilNanos,
        int bytes) {
    /** The same, answered for less long. */
    Lifetime freshUntil(long nanos) {
        return new Lifetime(ticket, createdMillis, refreshAtNanos, nanos, softUntilNanos, hardUntilNanos, bytes);
    }
}
