package io.stampedeguard.internal.near;

/**
 * Everything about a copy except its value. All times are of the monotonic clock unless stated otherwise. <em>Immutable.</em>
 *
 * @param ticket taken before the entry was read
 * @param createdMillis when the entry was created, by the store's clock
 * @param refreshAtNanos when it should be reloaded
 * @param freshUntilNanos until when it may be served
 * @param softUntilNanos the end of its soft TTL
 * @param hardUntilNanos until when it may be served if neither store nor origin answers
 * @param bytes the length of entry and key together
 */
public record Lifetime(
        Ticket ticket,
        long createdMillis,
        long refreshAtNanos,
        long freshUntilNanos,
        long softUntilNanos,
        long hardUntilNanos,
        int bytes) {
    /** Returns this lifetime with a shorter time of service. */
    Lifetime freshUntil(long nanos) {
        return new Lifetime(ticket, createdMillis, refreshAtNanos, nanos, softUntilNanos, hardUntilNanos, bytes);
    }
}
