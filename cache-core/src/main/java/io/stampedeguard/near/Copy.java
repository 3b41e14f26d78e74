package io.stampedeguard.near;

import org.jspecify.annotations.Nullable;

/**
 * A copy of an entry. All times are of the monotonic clock. <em>Thread-safe</em>: what is written after it was made is one
 * number, and whichever of its values a thread sees was true when it was written, and is compared with what is true now.
 *
 * @param <V> the type of the values
 */
public final class Copy<V> {
    private final @Nullable V value;
    private final Ticket ticket;
    private final long createdMillis;
    private final long refreshAtNanos;
    private final long freshUntilNanos;
    private final long hardUntilNanos;
    private final int bytes;
    private int checkedAt;

    /**
     * Makes a copy.
     *
     * @param value the value, or {@code null} for "the origin has none"
     * @param ticket taken before the entry was read
     * @param createdMillis when the entry was made, by the store's clock
     * @param refreshAtNanos when it is to be reloaded
     * @param freshUntilNanos until when it may be answered
     * @param hardUntilNanos until when it may be answered when nothing else can be had
     * @param bytes how long the entry and its key are together
     */
    public Copy(
            @Nullable V value,
            Ticket ticket,
            long createdMillis,
            long refreshAtNanos,
            long freshUntilNanos,
            long hardUntilNanos,
            int bytes) {
        this.value = value;
        this.ticket = ticket;
        this.createdMillis = createdMillis;
        this.refreshAtNanos = refreshAtNanos;
        this.freshUntilNanos = freshUntilNanos;
        this.hardUntilNanos = hardUntilNanos;
        this.bytes = bytes;
    }

    /**
     * Tells the value.
     *
     * @return the value, or {@code null} for "the origin has none"
     */
    public @Nullable V value() {
        return value;
    }

    /**
     * Tells under which name the store knows the key.
     *
     * @return the store's key
     */
    public String storeKey() {
        return ticket.storeKey();
    }

    /**
     * Tells when the entry is to be reloaded.
     *
     * @return a moment of the monotonic clock
     */
    public long refreshAtNanos() {
        return refreshAtNanos;
    }

    Ticket ticket() {
        return ticket;
    }

    long createdMillis() {
        return createdMillis;
    }

    long freshUntilNanos() {
        return freshUntilNanos;
    }

    long hardUntilNanos() {
        return hardUntilNanos;
    }

    int bytes() {
        return bytes;
    }

    /** Tells at which version of what is known of changes the ticket was last found to be good. */
    int checkedAt() {
        return checkedAt;
    }

    void checkedAt(int version) {
        checkedAt = version;
    }

    /** The same, answered for less long. */
    Copy<V> freshUntil(long nanos) {
        return new Copy<>(value, ticket, createdMillis, refreshAtNanos, nanos, hardUntilNanos, bytes);
    }
}
