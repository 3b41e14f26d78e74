package io.stampedeguard.benchmarks.workload;

/**
 * How many rounds a peer has in a set-up.
 *
 * @param warmUps how many come first and do not count
 * @param counted how many count
 */
public record Rounds(int warmUps, int counted) {
    private static final int WARM_UPS = 3;
    private static final int COUNTED = 7;
    private static final int COUNTED_QUICKLY = 2;

    /**
     * What most workloads do.
     *
     * @param effort how much is to be done
     * @return 3 and 7, if nothing else was asked for
     */
    static Rounds usual(Effort effort) {
        return new Rounds(effort.quick() ? 1 : WARM_UPS, effort.countedRounds(COUNTED, COUNTED_QUICKLY));
    }
}
