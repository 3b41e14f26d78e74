package io.stampedeguard.redis.internal.pipeline;

import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.time.TimeSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The watch on running rounds: a timer checks them 20 times a second. A thread per share would have to be woken in each round,
 * so only a round that was already running at the previous check gets another thread. <em>Thread-safe.</em>
 */
final class RoundWatch {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** The running rounds, and whether a check has seen them. */
    private final Map<ClusterRound, Boolean> underWay = new ConcurrentHashMap<>();

    private final AtomicBoolean looking = new AtomicBoolean();
    private final BackgroundThreads threads;
    private final TimeSource time;

    RoundWatch(BackgroundThreads threads, TimeSource time) {
        this.threads = threads;
        this.time = time;
    }

    void begin(ClusterRound round) {
        underWay.put(round, false);
        lookLater();
    }

    void end(ClusterRound round) {
        underWay.remove(round);
    }

    private void lookLater() {
        if (!looking.get() && looking.compareAndSet(false, true)) {
            try {
                time.schedule(LOOK_NANOS, this::look);
            } catch (OutOfMemoryError noThread) { // without a timer until a thread can be started
                looking.set(false);
            }
        }
    }

    private void look() {
        underWay.forEach((round, wasSeen) -> {
            if (wasSeen && round.isStandingStill()) {
                threads.tryToExecute(round::takeOver);
            }
            underWay.replace(round, true);
        });
        looking.set(false);
        if (!underWay.isEmpty()) {
            lookLater();
        }
    }
}
