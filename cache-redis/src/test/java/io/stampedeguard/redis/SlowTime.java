package io.stampedeguard.redis;

import io.stampedeguard.testkit.ForwardingTime;
import io.stampedeguard.time.TimeSource;

/**
 * The machine's time, except that its monotonic clock takes minutes for a second: for tests that count commands, so that none of
 * them is sent because the machine was slow. <em>Thread-safe.</em>
 */
final class SlowTime extends ForwardingTime {
    private static final long SLOWDOWN = 100;

    SlowTime() {
        super(TimeSource.system());
    }

    @Override
    public long monotonicNanos() {
        return super.monotonicNanos() / SLOWDOWN;
    }
}
