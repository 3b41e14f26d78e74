package io.stampedeguard.policy;

/**
 * What {@code put}, {@code invalidate}, and {@code expire} do if the shared store does not answer. In either mode, the near cache
 * forgets the key at once, and the change is queued in this process until the store answers again.
 */
public enum StoreFailureMode {
    /** They return normally. */
    QUEUE,
    /** They throw a {@code StoreException}, so that the caller learns that other processes do not see the change yet. */
    THROW
}
