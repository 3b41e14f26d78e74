package io.stampedeguard.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import redis.clients.jedis.RedisClient;

/**
 * Notices when this process stands still, or its Redis does, as happens on a machine with too much to do: a thread that
 * asks Redis for next to nothing, all the time, and looks how long that took. A test of time then knows what to demand:
 * nobody can renew a lease while nothing moves. <em>Thread-safe.</em>
 */
final class StandstillMeter {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

    private final ConcurrentLinkedQueue<Long> standstills = new ConcurrentLinkedQueue<>();
    private final RedisClient redis;

    private StandstillMeter(RedisClient redis) {
        this.redis = redis;
    }

    /** Starts to measure, until this process ends or the client is closed. */
    static StandstillMeter start(RedisClient redis) {
        StandstillMeter meter = new StandstillMeter(redis);
        Thread thread = new Thread(meter::measure, "standstill-meter");
        thread.setDaemon(true);
        thread.start();
        return meter;
    }

    /** Tells how long it stood still, each time since this was last asked, in milliseconds. */
    List<Long> takeMillis() {
        List<Long> taken = new ArrayList<>();
        for (Long next = standstills.poll(); next != null; next = standstills.poll()) {
            taken.add(next);
        }
        return taken;
    }

    private void measure() {
        try {
            for (long last = System.nanoTime(); true; last = measured(last)) {
                LockSupport.parkNanos(PAUSE_NANOS);
                redis.exists("nothing");
            }
        } catch (RuntimeException closedOrKilled) {
            // Then there is nothing more to measure.
        }
    }

    private long measured(long last) {
        long now = System.nanoTime();
        if (now - last >= SHORTEST_NANOS) {
            standstills.add(TimeUnit.NANOSECONDS.toMillis(now - last));
        }
        return now;
    }
}
