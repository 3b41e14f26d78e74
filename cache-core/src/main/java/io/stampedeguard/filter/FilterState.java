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
 * @param estimatedRate about which share of the keys that are not there it lets pass now
 */
public record FilterState(
        boolean inForce,
        boolean rebuilding,
        long expectedKeys,
        double designRate,
        double fill,
        long estimatedKeys,
        double estimatedRate) {
    /**
     * Tells whether it has more keys than it was made for.
     *
     * @return whether it lets pass more than it should
     */
    public boolean isSaturated() {
        return estimatedKeys > expectedKeys;
    }
}
