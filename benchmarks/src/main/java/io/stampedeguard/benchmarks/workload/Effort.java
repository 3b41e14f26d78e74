package io.stampedeguard.benchmarks.workload;

import org.jspecify.annotations.Nullable;

/** The extent of a run. A quick one only checks that it works, and its figures mean little; {@code rounds} count, if given. */
public record Effort(boolean quick, @Nullable Integer rounds) {
    /** Returns the number of rounds that count; the arguments are the defaults, also for a short run. */
    public int countedRounds(int usual, int quickly) {
        if (rounds != null) {
            return rounds;
        }
        return quick ? quickly : usual;
    }
}
