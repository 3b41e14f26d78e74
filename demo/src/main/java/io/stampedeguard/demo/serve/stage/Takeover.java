package io.stampedeguard.demo.serve.stage;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A process that is killed when it has begun to load the hot key, and the next one that loads it. <em>Thread-safe.</em> */
public final class Takeover {
    /** The process that took over, and how long after the other one was killed. */
    public record By(String process, Duration after) {}

    private final CountDownLatch decided = new CountDownLatch(1);
    private @Nullable Seat killed;
    private long killedNanos;
    private @Nullable By by;

    /** A process has begun to load the hot key: it is killed, if it is the first one. */
    synchronized void loads(Seat seat) {
        if (decided.getCount() > 0) {
            if (seat.kill()) {
                killed = seat;
                killedNanos = System.nanoTime();
                decided.countDown();
            }
        } else if (killed != null && seat != killed && by == null) {
            by = new By(seat.name(), Duration.ofNanos(System.nanoTime() - killedNanos));
        }
    }

    /** Returns whether a process was killed in time. Later, none is. */
    boolean happens(Duration within) throws InterruptedException {
        boolean inTime = decided.await(within.toMillis(), TimeUnit.MILLISECONDS);
        synchronized (this) {
            decided.countDown();
            return inTime || killed != null;
        }
    }

    /** Returns who has taken the load over; empty if nobody has, or none was interrupted. */
    public synchronized Optional<By> by() {
        return Optional.ofNullable(by);
    }
}
