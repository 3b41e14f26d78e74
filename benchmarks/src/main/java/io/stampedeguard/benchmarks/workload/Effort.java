package io.stampedeguard.benchmarks.workload;

import org.jspecify.annotations.Nullable;

/**
 * The extent of a run.
 *
 * @param quick whether the run is short, only to check that it works; its figures mean little
 * @param rounds the number of rounds that count, if it was given
 */
public record Effort(boolean quick, @Nullable Integer rounds) {
    /**
     * Returns the number of rounds that count.
     *
     * @param usual the number if none was given
     * @param quickly the number in a short run
     * @return the number of rounds
     */
    public int countedRounds(int usual, int quickly) {
        if (rounds != null) {
            return rounds;
        }
        return quick ? quickly : usual;
    }
}
