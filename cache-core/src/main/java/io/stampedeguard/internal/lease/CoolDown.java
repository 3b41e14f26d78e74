package io.stampedeguard.internal.lease;

import io.stampedeguard.internal.entry.FailureText;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.FailedLoad;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The cool-down of a key after failed loads: the policy's first length, doubled with each further failure in
 * a row, up to its longest. The row is remembered for that longest length after a cool-down is over. <em>Immutable.</em>
 */
final class CoolDown {
    private static final int MOST_DOUBLINGS = 32;

    private final Duration first;
    private final Duration longest;

    CoolDown(CachePolicy policy) {
        this.first = policy.initialCoolDown();
        this.longest = policy.maxCoolDown();
    }

    /** Returns what the store is to remember; {@code null} if there are no cool-downs. */
    public @Nullable FailedLoad after(FailureText failure, int failuresInARow) {
        Duration coolDown = length(failuresInARow);
        return coolDown.isZero() ? null : new FailedLoad(failure.encode(), failuresInARow, coolDown, longest);
    }

    Duration length(int failuresInARow) {
        double millis = Math.scalb((double) first.toMillis(), Math.min(failuresInARow - 1, MOST_DOUBLINGS));
        return Duration.ofMillis((long) Math.min(millis, (double) longest.toMillis()));
    }
}
