package io.stampedeguard;

import io.stampedeguard.event.WaitOutcome;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.function.DoubleSupplier;

/**
 * One leader's wait for the load of another process: it polls, with jittered back-off, and never past the end of the
 * lease it waits for or its own deadline. <em>Not thread-safe</em>: one for each wait.
 */
final class PeerWait {
    /** Nobody opens it: only time ends a pause. */
    private final CountDownLatch pause = new CountDownLatch(1);

    private final CachePolicy policy;
    private final TimeSource time;
    private final DoubleSupplier draws;
    private final CacheEvents events;
    private final long beganNanos;
    private int polls;

    PeerWait(CachePolicy policy, TimeSource time, DoubleSupplier draws, CacheEvents events) {
        this.policy = policy;
        this.time = time;
        this.draws = draws;
        this.events = events;
        this.beganNanos = time.monotonicNanos();
    }

    /** Waits until it is time to ask again; false if the deadline is over. */
    boolean untilNextPoll(LeaseAttempt.Held held, Deadline deadline) throws InterruptedException {
        long left = deadline.remainingNanos();
        if (left <= 0) {
            return false;
        }
        long nanos = Math.min(left, Backoff.nanos(policy, polls++, draws.getAsDouble()));
        boolean leaseEndsFirst = held.remaining().compareTo(Duration.ofNanos(nanos)) < 0;
        time.await(pause, leaseEndsFirst ? held.remaining().toNanos() : nanos);
        return true;
    }

    /** Tells the listener how the wait ended, if there was one. */
    void over(WaitOutcome outcome) {
        if (polls > 0) {
            events.waited(outcome, time.monotonicNanos() - beganNanos);
        }
    }
}
