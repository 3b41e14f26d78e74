package io.stampedeguard.testbed.measure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The number of open intervals at each moment, as the steps at which it changed, in order. It is computed by a sweep over their
 * ends. An interval that ends in the microsecond in which another begins does not overlap it. <em>Immutable.</em>
 */
public record Concurrency(List<Step> steps) {
    public Concurrency {
        steps = List.copyOf(steps);
    }

    /** The number of open intervals from a moment on, in microseconds since the epoch. */
    public record Step(long micros, int open) {}

    /** Returns the concurrency of intervals; the ends are in the same order as the begins. */
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

    /** Returns the largest number from one instant until before another, in microseconds. */
    public int mostBetween(long from, long to) {
        int atFirst = 0;
        int most = 0;
        for (Step step : steps) {
            if (step.micros() <= from) {
                atFirst = step.open();
            } else if (step.micros() < to) {
                most = Math.max(most, step.open());
            }
        }
        return Math.max(atFirst, most);
    }

    public int most() {
        return steps.stream().mapToInt(Step::open).max().orElse(0);
    }
}
