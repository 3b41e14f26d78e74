package io.stampedeguard.simulation;

import io.stampedeguard.testbed.measure.Latencies;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.commons.rng.UniformRandomProvider;

/**
 * What the loaders of all processes read. Loads of a key that begin within half a TTL of the first one serve the same expiry: one
 * would have been enough. For the strands of the loop.
 */
final class SimulatedOrigin {
    private final Map<String, Key> keys = new HashMap<>();
    private final UniformRandomProvider random;
    private final Duration meanLoad;
    private final long expiryNanos;
    private final String value;
    private long countedFromNanos;
    private long loads;
    private long expiries;
    private int running;
    private int most;
    private int mostOfAKey;

    /** Creates an origin that has every key, all with one value. */
    SimulatedOrigin(Setting setting, UniformRandomProvider random, String value) {
        this.random = random;
        this.meanLoad = setting.load();
        this.expiryNanos = setting.ttl().toNanos() / 2;
        this.value = value;
    }

    private static final class Key {
        private long firstLoadNanos = Long.MIN_VALUE / 2;
        private long endedNanos = Long.MIN_VALUE / 2;
        private int running;
    }

    /** Loads a key in a process; blocks meanwhile. */
    String load(String name, SimulatedTime time) throws InterruptedException {
        Key key = keys.computeIfAbsent(name, none -> new Key());
        count(key, time.monotonicNanos());
        running++;
        key.running++;
        most = Math.max(most, running);
        mostOfAKey = Math.max(mostOfAKey, key.running);
        try {
            time.await(new CountDownLatch(1), (long) (meanLoad.toNanos() * (0.5 + random.nextDouble())));
            return value;
        } finally {
            key.endedNanos = time.monotonicNanos();
            key.running--;
            running--;
        }
    }

    private void count(Key key, long now) {
        boolean isFirst = now - key.firstLoadNanos >= expiryNanos;
        if (isFirst) {
            key.firstLoadNanos = now;
        }
        if (key.firstLoadNanos >= countedFromNanos) {
            loads++;
            expiries += isFirst ? 1 : 0;
        }
    }

    /** Records how long a caller that waited was answered after the end of the last load of its key. */
    void recordLag(String name, long now, Latencies lags) {
        Key key = keys.get(name);
        if (key != null) {
            lags.record(Math.max(0, now - key.endedNanos));
        }
    }

    /** Counts from now on; loads of expiries that have begun are not counted. */
    void countAnew(long now) {
        countedFromNanos = now;
        loads = 0;
        expiries = 0;
        most = running;
        mostOfAKey = 0;
    }

    long loads() {
        return loads;
    }

    long expiries() {
        return expiries;
    }

    /** Returns the largest number of loads that ran at one instant. */
    int mostAtOnce() {
        return most;
    }

    int mostOfAKeyAtOnce() {
        return mostOfAKey;
    }
}
