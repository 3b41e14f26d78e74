package io.stampedeguard.demo;

import io.stampedeguard.policy.CachePolicy;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Lets a process run its code once over before it is measured, on keys of its own: misses, hits, stale reads, waiting
 * for other processes. Else the figures would tell how long Java takes to load classes.
 */
final class WarmUp {
    static final CachePolicy POLICY = DemoPolicy.withSoftTtl(Duration.ofMillis(50))
            .hardTtl(Duration.ofSeconds(30))
            .build();

    private static final int KEYS = 16;
    private static final long PAUSE_MILLIS = 2;

    private WarmUp() {}

    /** Has all callers ask for a while. */
    static void run(ProductCache products, int callers, Duration length, Errors errors) throws InterruptedException {
        long end = System.nanoTime() + length.toNanos();
        CallerScript script = caller -> {
            int[] count = {caller};
            return () -> {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                return System.nanoTime() < end ? count[0]++ % KEYS : CallerScript.Keys.END;
            };
        };
        Callers warming = Callers.start(callers, script, products, errors);
        warming.release();
        warming.awaitEnd();
    }
}
