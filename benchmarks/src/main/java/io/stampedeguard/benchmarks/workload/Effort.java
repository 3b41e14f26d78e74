package io.stampedeguard.benchmarks.workload;

import org.jspecify.annotations.Nullable;

/**
 * How much is to be done.
 *
 * @param quick whether all is to be in short, to see that it runs; its figures say little
 * @param rounds how many rounds count, if that was asked for
 */
public record Effort(boolean quick, @Nullable Integer rounds) {
    /**
     * Returns how many rounds count.
     *
     * @param usual how many if nothing was asked for
     * @param quickly how many if it is to be in short
     * @return how many
     */
    public int countedRounds(int usual, int quickly) {
        if (rounds != null) {
            return rounds;
        }
        return quick ? quickly : usual;
    }
}
