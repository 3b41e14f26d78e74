package io.stampedeguard.demo.dashboard;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Callers of several processes, until the end: they read, most of all a few hot keys, and sometimes absent or invalid
 * keys, while others change what they read. Exceptions other than the cache's own are kept.
 */
final class Traffic implements AutoCloseable {
    static final int KEYS = 400;

    private static final int CALLERS_EACH = 8;
    private static final long PAUSE_MILLIS = 5;
    private static final long CHANGE_EACH_MILLIS = 150;
    private static final long HOT_CHANGE_EACH_MILLIS = 2_000;
    private static final long TROUBLE_EACH_MILLIS = 100;

    private final Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean ended;

    static Traffic on(List<WatchedProcess> processes) {
        Traffic traffic = new Traffic();
        for (WatchedProcess process : processes) {
            for (int i = 0; i < CALLERS_EACH; i++) {
                traffic.start(() -> traffic.read(process.cache()), PAUSE_MILLIS);
            }
        }
        WatchedProcess first = processes.get(0);
        traffic.start(() -> first.cache().invalidate(SlowOrigin.HOT), HOT_CHANGE_EACH_MILLIS);
        traffic.start(() -> first.cache().put(drawn(), "changed"), CHANGE_EACH_MILLIS);
        traffic.start(() -> first.cache().expire(drawn()), CHANGE_EACH_MILLIS);
        return traffic;
    }

    /**
     * Adds callers that request from each process what fails and what does not return, and changes so frequent that
     * they occur during loads.
     */
    Traffic withTrouble(List<WatchedProcess> processes) {
        for (WatchedProcess process : processes) {
            start(() -> process.cache().get(SlowOrigin.FAILING), TROUBLE_EACH_MILLIS);
            start(() -> process.cache().get(SlowOrigin.UNINTERRUPTIBLE), TROUBLE_EACH_MILLIS);
            start(() -> process.cache().invalidate(SlowOrigin.HOT), TROUBLE_EACH_MILLIS);
        }
        return this;
    }

    private void read(StampedeGuardedCache<Long, String> cache) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        int choice = random.nextInt(100);
        if (choice < 50) {
            cache.get(SlowOrigin.HOT + random.nextInt(3));
        } else if (choice < 90) {
            cache.get(drawn());
        } else if (choice < 92) {
            cache.get(-random.nextLong(1, 1_000));
        } else if (choice < 97) {
            cache.get(random.nextLong(1_000_000, 2_000_000));
        } else {
            cache.get(SlowOrigin.DELETED);
        }
    }

    private static long drawn() {
        return ThreadLocalRandom.current().nextLong(1, KEYS);
    }

    private void start(Runnable step, long pauseMillis) {
        Thread thread = new Thread(() -> repeat(step, pauseMillis), "traffic-" + threads.size());
        threads.add(thread);
        thread.start();
    }

    private void repeat(Runnable step, long pauseMillis) {
        while (!ended) {
            try {
                step.run();
            } catch (CacheException | StoreException e) {
                // Part of the traffic: an origin that fails, a store that is stopped.
            } catch (RuntimeException | Error e) {
                unexpected.add(e);
                return;
            }
            try {
                Thread.sleep(pauseMillis);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    List<Throwable> unexpected() {
        return List.copyOf(unexpected);
    }

    @Override
    public void close() {
        ended = true;
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
