package io.stampedeguard.testkit;

import io.stampedeguard.time.TimeSource;

/** A clock that stands still, and has no timers: a test says how waits on it end. */
public interface StillTime extends TimeSource {
    @Override
    default long wallMillis() {
        return 0;
    }

    @Override
    default long monotonicNanos() {
        return 0;
    }

    @Override
    default Timer schedule(long nanos, Runnable task) {
        throw new UnsupportedOperationException("nobody sets a timer here");
    }
}
