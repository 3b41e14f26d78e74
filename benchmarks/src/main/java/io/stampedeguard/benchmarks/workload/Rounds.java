package io.stampedeguard.benchmarks.workload;

/** The number of rounds of a peer in a set-up: those that come first and do not count, and those that count. */
public record Rounds(int warmUps, int counted) {
    private static final int WARM_UPS = 3;
    private static final int COUNTED = 7;
    private static final int COUNTED_QUICKLY = 2;

    /** Returns the rounds of most workloads: 3 and 7, unless the effort sets others. */
    static Rounds usual(Workload.Effort effort) {
        return new Rounds(effort.quick() ? 1 : WARM_UPS, effort.countedRounds(COUNTED, COUNTED_QUICKLY));
    }
}
