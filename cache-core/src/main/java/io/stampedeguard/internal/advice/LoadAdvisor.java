package io.stampedeguard.internal.advice;

/** Compares the policy of one cache with its loads, and gives advice. Implementations are <em>thread-safe</em>. */
public interface LoadAdvisor {
    /**
     * Counts a call of the loader, for one key or for many.
     *
     * @param nanos the time that it took
     */
    void called(long nanos);

    /** Called when the load of one key has ended. */
    void loaded();
}
