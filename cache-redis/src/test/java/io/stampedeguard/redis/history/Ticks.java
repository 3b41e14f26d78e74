package io.stampedeguard.redis.history;

import io.stampedeguard.testkit.HistoryChecker.NearBound;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * When places were drawn, as far as one clock can tell: a thread draws places all the time, and looks at the clock before
 * and after. What was drawn between two of its places was drawn between its two looks, whatever the clocks of those who
 * drew may say; and so of two places it is known how far they lie apart at least. Where this thread did not get to run,
 * that is less than the truth, and the judgement milder, never harsher. <em>Not thread-safe</em>, but for the thread
 * that it starts, until that is over.
 */
final class Ticks implements AutoCloseable, NearBound {
    private static final long EACH_MILLIS = 2;

    private final List<Tick> ticks = new ArrayList<>();
    private final long boundNanos;
    private final Thread thread;

    /**
     * A place, and when it was drawn.
     *
     * @param before a moment before that, by the monotonic clock of this process
     * @param after a moment after that
     */
    record Tick(long place, long before, long after) {
        static Tick of(LongSupplier places) {
            long before = System.nanoTime();
            long place = places.getAsLong();
            return new Tick(place, before, System.nanoTime());
        }
    }

    /** Ticks until it is closed. */
    Ticks(Duration bound, LongSupplier places) {
        this.boundNanos = bound.toNanos();
        this.thread = new Thread(() -> tick(places), "ticks");
        thread.start();
    }

    /** For tests: these and no others. */
    Ticks(Duration bound, List<Tick> all) {
        this.boundNanos = bound.toNanos();
        this.thread = new Thread(() -> {});
        ticks.addAll(all);
    }

    private void tick(LongSupplier places) {
        try {
            while (true) {
                ticks.add(Tick.of(places));
                Thread.sleep(EACH_MILLIS);
            }
        } catch (InterruptedException over) {
            // Nobody else interrupts it.
        }
    }

    /** The place of the last tick that surely came longer before this place than the bound. */
    @Override
    public long heardUpTo(long place) {
        int last = lastUpTo(place, Tick::place);
        int heard = last < 0 ? -1 : lastUpTo(ticks.get(last).before() - boundNanos - 1, Tick::after);
        return heard < 0 ? Long.MIN_VALUE : ticks.get(heard).place();
    }

    /** How long after one place another one was drawn, at least. */
    Duration between(long one, long other) {
        int last = lastUpTo(other, Tick::place);
        int first = lastUpTo(one - 1, Tick::place) + 1;
        return last < first
                ? Duration.ZERO
                : Duration.ofNanos(
                        Math.max(0, ticks.get(last).before() - ticks.get(first).after()));
    }

    /** Returns the index of the last tick of which a number is no greater than a limit, -1 if there is none. */
    private int lastUpTo(long limit, ToLongFunction<Tick> number) {
        int low = 0;
        int high = ticks.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (number.applyAsLong(ticks.get(middle)) - limit <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    /** Ends the thread; from now on the ticks can be looked at. */
    @Override
    public void close() {
        thread.interrupt();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
