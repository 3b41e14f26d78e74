package io.stampedeguard.demo.member;

import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.origin.Catalogue;
import io.stampedeguard.demo.origin.ProductRead;
import io.stampedeguard.demo.product.ProductCache;
import io.stampedeguard.demo.scenario.CallerScript;
import io.stampedeguard.demo.scenario.DemoPolicy;
import io.stampedeguard.demo.scenario.PhaseWatch;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testbed.fleet.WallClock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The warm-up of a process before the measurement, on keys of its own: otherwise the figures would include the time that Java
 * takes to load classes. It is long before the first phase in a mode, and short before the others.
 */
final class WarmUp {
    private static final CachePolicy POLICY = DemoPolicy.withSoftTtl(Duration.ofMillis(40))
            .hardTtl(Duration.ofSeconds(30))
            .build();

    private static final MemberConnections.Read READ =
            new MemberConnections.Read(ProductRead.REVIEWS, Duration.ZERO, Catalogue::productFor);

    private static final int KEYS = 16;
    private static final long PAUSE_MILLIS = 2;
    private static final Duration LONG = Duration.ofMillis(300);
    private static final Duration SHORT = Duration.ofMillis(100);

    private final MemberConnections connections;
    private final Set<Mode> warm = EnumSet.noneOf(Mode.class);

    WarmUp(MemberConnections connections) {
        this.connections = connections;
    }

    void run(Mode mode, int callers) throws InterruptedException {
        Answers answers = new Answers(false);
        long end = System.nanoTime() + (isCold(mode) ? LONG : SHORT).toNanos();
        try (ProductCache products = connections.cache(mode, "warm-up-" + mode, POLICY, READ, answers)) {
            Callers warming =
                    new Callers(callers, caller -> keysUntil(end, caller), products, PhaseWatch.forProducts(), answers);
            warming.releaseAt(WallClock.micros());
            warming.awaitEnd();
            connections.origin().awaitIdle();
        }
        if (answers.errors() > 0) {
            throw new IllegalStateException("the warm-up failed: " + answers.firstError());
        }
    }

    /** The code of the key filter is small, and so is that of the bound; the rest is the code of another mode. */
    private boolean isCold(Mode mode) {
        return warm.add(
                switch (mode) {
                    case GUARDED_FILTER -> Mode.GUARDED;
                    case PLAIN_BOUNDED -> Mode.PLAIN;
                    default -> mode;
                });
    }

    private static CallerScript.Keys keysUntil(long end, int caller) {
        int[] key = {caller};
        return () -> {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            return System.nanoTime() < end ? key[0]++ % KEYS + 1 : CallerScript.Keys.END;
        };
    }
}
