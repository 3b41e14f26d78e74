package io.stampedeguard.demo;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/** The keys of a caller who thinks for 25 to 75 ms before each request, until the time is over. */
final class PacedKeys implements CallerScript.Keys {
    private static final int SHORTEST_MILLIS = 25;
    private static final int LONGEST_MILLIS = 75;

    private final SplittableRandom random;
    private final long runNanos;
    private final ToLongFunction<SplittableRandom> choice;
    private long beganNanos;

    PacedKeys(Share share, int caller, ToLongFunction<SplittableRandom> choice) {
        Plan plan = share.plan();
        this.random = new SplittableRandom(plan.seed() + (long) share.index() * plan.callers() + caller);
        this.runNanos = TimeUnit.MILLISECONDS.toNanos(plan.runMillis());
        this.choice = choice;
    }

    @Override
    public long next() throws InterruptedException {
        long now = System.nanoTime();
        beganNanos = beganNanos == 0 ? now : beganNanos;
        long pause = TimeUnit.MILLISECONDS.toNanos(random.nextInt(SHORTEST_MILLIS, LONGEST_MILLIS));
        if (now + pause - beganNanos > runNanos) {
            return END;
        }
        TimeUnit.NANOSECONDS.sleep(pause);
        return choice.applyAsLong(random);
    }
}
