package io.stampedeguard.testkit;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.store.InMemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;

/**
 * A fleet in one JVM: some caches, each as one process would have it, over one store, on a clock turned by hand, with
 * an origin and callers. For breadth; real processes are for truth.
 */
public final class Fleet implements AutoCloseable {
    private final VirtualTime time = new VirtualTime();
    private final FaultyStore store = new FaultyStore(InMemoryStore.create(time));
    private final RecordingListener listener = new RecordingListener();
    private final Origin origin = new Origin("one");
    private final BulkOrigin bulkOrigin = new BulkOrigin();
    private final Callers callers = new Callers();
    private final List<StampedeGuardedCache<String, String>> caches = new ArrayList<>();

    /** Makes a fleet of so many processes under one policy. */
    public Fleet(int processes, CachePolicy policy) {
        this(processes, policy, cache -> cache);
    }

    /** Makes a fleet of so many processes under one policy, each with a near cache. */
    public Fleet(int processes, CachePolicy policy, NearCacheOptions near) {
        this(processes, policy, cache -> cache.nearCache(near));
    }

    /** Makes a fleet of so many processes under one policy, each with more parts. */
    public Fleet(int processes, CachePolicy policy, UnaryOperator<StampedeGuardedCacheBuilder<String, String>> with) {
        for (int i = 0; i < processes; i++) {
            caches.add(with.apply(StampedeGuardedCache.<String, String>builder("fleet")
                            .store(store)
                            .codec(StringCodec.utf8())
                            .policy(policy)
                            .listener(listener)
                            .timeSource(time))
                    .build());
        }
    }

    /** Tells the cache of one process. */
    public StampedeGuardedCache<String, String> cache(int process) {
        return caches.get(process);
    }

    /** Reads a key through one process, on a thread of its own. */
    public Callers.Call<String> get(int process, String key) {
        return callers.call(() -> cache(process).get(key, origin::read));
    }

    /** Reads keys through one process, on a thread of its own. */
    public Callers.Call<Map<String, String>> getAll(int process, String... keys) {
        return callers.call(() -> cache(process).getAll(List.of(keys), bulkOrigin));
    }

    /** Tells the origin of those who read many keys at once. */
    public BulkOrigin bulkOrigin() {
        return bulkOrigin;
    }

    /** Tells the clock. */
    public VirtualTime time() {
        return time;
    }

    /** Turns the clock. */
    public void advance(Duration length) {
        time.advance(length);
    }

    /** Tells the store all processes share. */
    public FaultyStore store() {
        return store;
    }

    /** Tells what all processes told their listeners. */
    public RecordingListener listener() {
        return listener;
    }

    /** Tells the origin. */
    public Origin origin() {
        return origin;
    }

    /** Tells the callers. */
    public Callers callers() {
        return callers;
    }

    /** Waits, in real time, until other threads have brought something about. */
    public static void until(BooleanSupplier condition) {
        Awaitility.await()
                .pollInterval(Duration.ofMillis(1))
                .atMost(Duration.ofSeconds(30))
                .until(condition::getAsBoolean);
    }

    @Override
    public void close() {
        origin.open();
        bulkOrigin.open();
        caches.forEach(StampedeGuardedCache::close);
        callers.close();
    }
}
