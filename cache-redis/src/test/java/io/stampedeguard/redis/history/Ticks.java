package io.stampedeguard.redis.history;

import io.stampedeguard.testkit.HistoryChecker.NearBound;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * The times at which places were drawn, as far as one clock can show: a thread draws places all the time, and reads the
 * clock before and after each. A place between two of its places was drawn between its two readings, whatever the
 * clocks of the other processes show. So for two places a minimal distance in time is known. If this thread did not run
 * for a while, the known distance is less than the real one, and the check is more lenient, never stricter. <em>Not
 * thread-safe</em>, except for the thread that it starts, until that has ended.
 */
public final class Ticks implements AutoCloseable, NearBound {
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
    public Ticks(Duration bound, LongSupplier places) {
        this.boundNanos = bound.toNanos();
        this.thread = new Thread(() -> tick(places), "ticks");
        thread.start();
    }

    /** For tests: these places only. */
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
            // No other code interrupts it.
        }
    }

    /** The place of the last tick that certainly was longer before this place than the bound. */
    @Override
    public long heardUpTo(long place) {
        int last = lastUpTo(place, Tick::place);
        int heard = last < 0 ? -1 : lastUpTo(ticks.get(last).before() - boundNanos - 1, Tick::after);
        return heard < 0 ? Long.MIN_VALUE : ticks.get(heard).place();
    }

    /** The minimal time between the draws of two places. */
    Duration between(long one, long other) {
        int last = lastUpTo(other, Tick::place);
        int first = lastUpTo(one - 1, Tick::place) + 1;
        return last < first
                ? Duration.ZERO
                : Duration.ofNanos(
                        Math.max(0, ticks.get(last).before() - ticks.get(first).after()));
    }

    /** Returns the index of the last tick for which a number is at most a limit; -1 if there is none. */
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

    /** Ends the thread; from now on the ticks can be read. */
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
