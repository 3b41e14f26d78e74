package io.stampedeguard.filter;

/**
 * The state of a filter, as one process knows it. <em>Immutable.</em>
 *
 * @param inForce whether it can reject keys; if not, it was never built or is lost, and must be rebuilt
 * @param rebuilding whether this process is rebuilding it
 * @param expectedKeys the number of keys it was sized for
 * @param designRate the share of nonexistent keys that it lets pass with that number of keys
 * @param fill the share of its bits that are set
 * @param estimatedKeys the approximate number of keys it contains
 * @param estimatedRate the approximate share of nonexistent keys that it lets pass now; 1 if it is not in force, or if this
 *     process has no complete copy of it yet
 */
public record FilterState(
        boolean inForce,
        boolean rebuilding,
        long expectedKeys,
        double designRate,
        double fill,
        long estimatedKeys,
        double estimatedRate) {
    /** An estimate may be off by one percent, and the rate grows several times as fast as the number of keys. */
    private static final double TOLERANCE = 1.1;

    /**
     * {@return whether it contains too many keys, at least a tenth more than it was sized for, and should be rebuilt larger} A
     * process without a copy cannot detect this.
     */
    public boolean isSaturated() {
        return inForce && fill > 0 && estimatedRate > TOLERANCE * designRate;
    }
}
