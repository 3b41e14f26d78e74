package io.stampedeguard.internal.near;

/**
 * A ticket that is taken before the store is read, and kept with the copy: it shows whether the key was changed since.
 * <em>Immutable.</em>
 *
 * @param storeKey the store's key
 * @param part the part of the store that holds it
 * @param stripe the stripe that counts changes of the key
 * @param stamp the number of changes so far
 * @param gaps the number of gaps so far
 * @param openedNanos when it was taken, by the monotonic clock
 */
public record Ticket(String storeKey, int part, int stripe, int stamp, int gaps, long openedNanos) {
    /** For reads whose result is not kept. */
    public static final Ticket NONE = new Ticket("", 0, 0, 0, 0, 0);
}
