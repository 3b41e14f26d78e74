package io.stampedeguard.internal.peer;

import io.stampedeguard.policy.CachePolicy;

/**
 * The pauses between polls: exponential back-off with full jitter (M. Brooker, "Exponential Backoff And Jitter", AWS
 * Architecture Blog, 2015). Pure.
 */
final class Backoff {
    private static final int MOST_DOUBLINGS = 32;

    private Backoff() {}

    /**
     * Returns a pause.
     *
     * @param poll the number of polls before, from 0
     * @param draw evenly drawn from 0 to 1
     * @return nanoseconds, from zero to a bound that doubles with each poll
     */
    static long nanos(CachePolicy policy, int poll, double draw) {
        double bound = Math.scalb((double) policy.initialPollInterval().toNanos(), Math.min(poll, MOST_DOUBLINGS));
        return (long) (draw * Math.min(bound, (double) policy.maxPollInterval().toNanos()));
    }

    /**
     * Returns the pause of a caller that is notified, and polls only in case a message was lost.
     *
     * @param draw evenly drawn from 0 to 1
     * @return nanoseconds, from half of the longest pause to the whole
     */
    static long safetyNetNanos(CachePolicy policy, double draw) {
        return (long) ((1 + draw) / 2 * (double) policy.maxPollInterval().toNanos());
    }
}
