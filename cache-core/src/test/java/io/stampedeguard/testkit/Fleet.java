package io.stampedeguard.testkit;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.store.SharedStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/**
 * A fleet in one JVM: several caches, each as in one process, over one store, on a virtual clock, with an origin, which
 * is also what their own loader reads, and callers. For many cases; tests with real processes confirm them.
 */
public final class Fleet implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final VirtualTime time = new VirtualTime();
    private final ScriptedStore store = new ScriptedStore(InMemoryStore.create(time));
    private final RecordingListener listener = new RecordingListener();
    private final Origin origin = new Origin("one");
    private final BulkOrigin bulkOrigin = new BulkOrigin();
    private final Callers callers = new Callers();
    private final OpenGauges gauges = new OpenGauges();
    private final List<StampedeGuardedCache<String, String>> caches = new ArrayList<>();
    private final CachePolicy policy;
    private final SharedStore shared;

    /** Creates a fleet with a number of processes under one policy. */
    public Fleet(int processes, CachePolicy policy) {
        this(processes, policy, cache -> cache);
    }

    /** Creates a fleet with a number of processes under one policy, each with a near cache. */
    public Fleet(int processes, CachePolicy policy, NearCacheOptions near) {
        this(processes, policy, cache -> cache.nearCache(near));
    }

    /** Creates a fleet with a number of processes under one policy, each with a near cache of a hundred entries. */
    public static Fleet near(int processes, CachePolicy policy) {
        return new Fleet(
                processes, policy, NearCacheOptions.builder().maximumSize(100).build());
    }

    /** Creates a fleet with a number of processes under one policy, each with additional parts. */
    public Fleet(int processes, CachePolicy policy, UnaryOperator<StampedeGuardedCacheBuilder<String, String>> with) {
        this(processes, policy, true, with);
    }

    /** Creates a fleet whose store sends no notifications: who waits for another process polls. */
    public static Fleet polling(
            int processes, CachePolicy policy, UnaryOperator<StampedeGuardedCacheBuilder<String, String>> with) {
        return new Fleet(processes, policy, false, with);
    }

    private Fleet(
            int processes,
            CachePolicy policy,
            boolean notifies,
            UnaryOperator<StampedeGuardedCacheBuilder<String, String>> with) {
        this.policy = policy;
        this.shared = notifies ? store : WithoutNotifications.of(store);
        for (int i = 0; i < processes; i++) {
            caches.add(with.apply(builder("fleet")).build());
        }
    }

    /** Returns a builder of a further cache, which has all that the processes have, except for their additional parts. */
    public StampedeGuardedCacheBuilder<String, String> builder(String name) {
        return StampedeGuardedCache.<String, String>builder(name)
                .store(shared)
                .codec(StringCodec.of())
                .policy(policy)
                .loader(origin::read)
                .listener(listener)
                .listener(gauges)
                .timeSource(time);
    }

    /** Returns the gauges of one process; further caches come after the processes. */
    public CacheGauges gauges(int process) {
        return gauges.get(process);
    }

    /** Returns the cache of one process. */
    public StampedeGuardedCache<String, String> cache(int process) {
        return caches.get(process);
    }

    /** Reads a key through one process, on a thread of its own. */
    public Callers.Call<String> get(int process, String key) {
        return callers.call(() -> cache(process).get(key, origin::read));
    }

    /** Closes the origin, reads a key through one process, and returns when that load is held up. */
    public Callers.Call<String> loading(int process, String key) {
        int running = origin.running();
        origin.close();
        Callers.Call<String> call = get(process, key);
        until(() -> origin.running() == running + 1);
        return call;
    }

    /** Closes the cache of one process, on a thread of its own; the result is true. */
    public Callers.Call<Boolean> closing(int process) {
        return callers.call(() -> {
            cache(process).close();
            return true;
        });
    }

    /** Reads keys through one process, on a thread of its own. */
    public Callers.Call<Map<String, String>> getAll(int process, String... keys) {
        return callers.call(() -> cache(process).getAll(List.of(keys), bulkOrigin));
    }

    /** Returns the origin for reads of many keys. */
    public BulkOrigin bulkOrigin() {
        return bulkOrigin;
    }

    /** Returns the clock. */
    public VirtualTime time() {
        return time;
    }

    /** Advances the clock. */
    public void advance(Duration length) {
        time.advance(length);
    }

    /** Returns the store all processes share. */
    public ScriptedStore store() {
        return store;
    }

    /** Returns the events of all processes. */
    public RecordingListener listener() {
        return listener;
    }

    /** Returns the origin. */
    public Origin origin() {
        return origin;
    }

    /** Returns the callers. */
    public Callers callers() {
        return callers;
    }

    /**
     * Advances the clock, one step at a time, until a condition holds. Before each step it waits, in real time, until a
     * thread waits for the clock: a caller on a slow machine does not miss its deadline.
     */
    public void advanceUntil(BooleanSupplier condition, Duration step) {
        while (!condition.getAsBoolean()) {
            until(() -> condition.getAsBoolean() || time.waiting() > 0);
            if (!condition.getAsBoolean()) {
                advance(step);
            }
        }
    }

    /** Waits, in real time, until a condition holds. Fails after a minute: then the threads that should fulfill it hang. */
    public static void until(BooleanSupplier condition) {
        long giveUp = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - giveUp > 0) {
                throw new AssertionError("the condition did not hold within " + PATIENCE);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Waits for a latch, where no checked exception may be thrown. */
    public static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Closes a cache without a wait for its loads: what still waits for the clock waits in vain. */
    public static void closeAtOnce(StampedeGuardedCache<?, ?> cache) {
        Thread.currentThread().interrupt();
        cache.close();
        Thread.interrupted();
    }

    /** Closes the caches without a wait for their loads. */
    @Override
    public void close() {
        origin.open();
        bulkOrigin.open();
        caches.forEach(Fleet::closeAtOnce);
        callers.close();
    }
}
