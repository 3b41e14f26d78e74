package io.stampedeguard.filter;

/**
 * How a filter is, as one process knows it. <em>Immutable.</em>
 *
 * @param inForce whether it can say no; if not, it was never built, or is lost, and is to be rebuilt
 * @param rebuilding whether this process rebuilds it
 * @param expectedKeys for how many keys it was made
 * @param designRate which share of the keys that are not there it lets pass with as many keys
 * @param fill which share of its bits is set
 * @param estimatedKeys about how many keys it has
 * @param estimatedRate about which share of the keys that are not there it lets pass now; 1 if it is not in force, or
 *     this process has no whole copy of it yet
 */
public record FilterState(
        boolean inForce,
        boolean rebuilding,
        long expectedKeys,
        double designRate,
        double fill,
        long estimatedKeys,
        double estimatedRate) {
    /** An estimate is off by a percent at times, and a rate grows several times as fast as the keys. */
    private static final double TOLERANCE = 1.1;

    /**
     * Returns whether it lets pass clearly more than it was made for, by a tenth at least: it has too many keys. A process
     * without a copy cannot tell.
     *
     * @return whether it is to be rebuilt larger
     */
    public boolean isSaturated() {
        return inForce && fill > 0 && estimatedRate > TOLERANCE * designRate;
    }
}
