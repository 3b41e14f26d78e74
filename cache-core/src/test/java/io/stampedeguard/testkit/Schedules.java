package io.stampedeguard.testkit;

import java.util.function.BooleanSupplier;
import org.jetbrains.lincheck.Lincheck;

/**
 * Schedules of the threads that a test starts, explored switch by switch by Lincheck. Such a test uses plain conditions instead of
 * assertions, because Lincheck instruments its code, and is marked {@link ExploresSchedules}.
 */
public final class Schedules {
    private Schedules() {}

    /**
     * Looks for a schedule in which a promise does not hold.
     *
     * @param schedules how many are explored
     * @param promise starts the threads, waits for them with {@link #join}, and tells whether the promise held
     * @throws AssertionError with the schedule, if there is one
     */
    public static void explore(int schedules, BooleanSupplier promise) {
        // Once without Lincheck: Java initializes a class, and links a lambda, under locks that Lincheck does not know.
        // A thread that
        // is stopped there would stop the others until Lincheck takes the schedule for one that hangs.
        require(promise);
        Lincheck.runConcurrentTest(schedules, () -> require(promise));
    }

    private static void require(BooleanSupplier promise) {
        if (!promise.getAsBoolean()) {
            throw new AssertionError("the promise does not hold in this schedule");
        }
    }

    /** Waits for a thread to end. */
    public static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
