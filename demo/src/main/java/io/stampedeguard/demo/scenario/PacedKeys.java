package io.stampedeguard.demo.scenario;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;

/** The keys of a caller that pauses before each request, until the time and an outage are over. */
final class PacedKeys implements CallerScript.Keys {
    private static final int SHORTEST_MILLIS = 25;
    private static final int LONGEST_TO_SHORTEST = 3;

    private final SplittableRandom random;
    private final int shortestMillis;
    private final long runNanos;
    private final ToLongFunction<SplittableRandom> choice;
    private final BooleanSupplier outageLasts;
    private long beganNanos;

    /** Creates the keys of a caller that pauses for 25 to 75 ms. */
    PacedKeys(Share share, int caller, ToLongFunction<SplittableRandom> choice) {
        this(share, caller, SHORTEST_MILLIS, share.plan().runMillis(), choice);
    }

    /** Creates the keys of a caller that pauses for at least the given time, and at most three times as long. */
    PacedKeys(Share share, int caller, int shortestMillis, int runMillis, ToLongFunction<SplittableRandom> choice) {
        Plan plan = share.plan();
        this.shortestMillis = shortestMillis;
        this.random = new SplittableRandom(plan.seed() + (long) share.index() * plan.callers() + caller);
        this.runNanos = TimeUnit.MILLISECONDS.toNanos(runMillis);
        this.choice = choice;
        this.outageLasts = share.outageLasts();
    }

    @Override
    public long next() throws InterruptedException {
        long now = System.nanoTime();
        beganNanos = beganNanos == 0 ? now : beganNanos;
        long pause =
                TimeUnit.MILLISECONDS.toNanos(random.nextInt(shortestMillis, LONGEST_TO_SHORTEST * shortestMillis));
        if (now + pause - beganNanos > runNanos && !outageLasts.getAsBoolean()) {
            return END;
        }
        TimeUnit.NANOSECONDS.sleep(pause);
        return choice.applyAsLong(random);
    }
}
