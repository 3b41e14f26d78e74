package io.stampedeguard.demo.measure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How many of some intervals were open at each moment, found by a sweep over their ends. An interval that ends in the
 * microsecond in which another begins does not overlap it. <em>Immutable.</em>
 *
 * @param steps the moments at which the number changed, in order
 */
public record Concurrency(List<Step> steps) {
    /**
     * Takes a copy.
     *
     * @param steps the moments at which the number changed, in order
     */
    public Concurrency {
        steps = List.copyOf(steps);
    }

    /**
     * A change.
     *
     * @param micros when, in microseconds since the epoch
     * @param open how many intervals are open from then on
     */
    public record Step(long micros, int open) {}

    /**
     * Sweeps over intervals.
     *
     * @param begins when each begins
     * @param ends when each ends, in the same order
     * @return how many were open
     */
    public static Concurrency of(long[] begins, long[] ends) {
        long[] opening = begins.clone();
        long[] closing = ends.clone();
        Arrays.sort(opening);
        Arrays.sort(closing);
        List<Step> steps = new ArrayList<>();
        int opened = 0;
        int closed = 0;
        while (closed < closing.length) {
            long now = opened < opening.length ? Math.min(opening[opened], closing[closed]) : closing[closed];
            while (closed < closing.length && closing[closed] == now) {
                closed++;
            }
            while (opened < opening.length && opening[opened] == now) {
                opened++;
            }
            steps.add(new Step(now, opened - closed));
        }
        return new Concurrency(steps);
    }

    /**
     * Returns the most that were open at once.
     *
     * @return their number
     */
    public int most() {
        return steps.stream().mapToInt(Step::open).max().orElse(0);
    }
}
