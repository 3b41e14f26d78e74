package io.stampedeguard.internal.near;

/**
 * What a reader takes before it reads the store, and hands in with what it has read: it tells whether the key was changed
 * meanwhile. <em>Immutable.</em>
 *
 * @param storeKey the key as the store knows it
 * @param part the part of the store in which it is
 * @param stripe where changes of the key are counted
 * @param stamp how many there had been
 * @param gaps how many gaps there had been in what is heard of changes
 * @param openedNanos when it was taken, by the monotonic clock
 */
public record Ticket(String storeKey, int part, int stripe, int stamp, int gaps, long openedNanos) {
    /** For looks of which nothing is kept. */
    public static final Ticket NONE = new Ticket("", 0, 0, 0, 0, 0);
}
