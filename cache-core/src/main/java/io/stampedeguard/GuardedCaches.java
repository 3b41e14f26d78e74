package io.stampedeguard;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.CacheStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The caches of an application on one store, with common defaults. <em>Thread-safe.</em>
 * <pre>{@code
 * GuardedCaches caches = GuardedCaches.over(store, each -> each.policy(policy).listener(metrics));
 * StampedeGuardedCache<Long, Product> products =
 *         caches.cache("products", Long.class, JsonCodec.of(Product.class)).build();
 * StampedeGuardedCache<OrderId, Order> orders = caches.cache("orders", OrderId.class, JsonCodec.of(Order.class))
 *         .keyEncoder(OrderId::text)
 *         .build();
 * }</pre>
 */
public final class GuardedCaches implements AutoCloseable {
    private final CacheStore store;
    private final @Nullable AutoCloseable owned;
    private final Consumer<? super StampedeGuardedCacheBuilder<?, ?>> defaults;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<StampedeGuardedCache<?, ?>> built = new ArrayList<>(); // guarded by the lock
    private boolean isClosed; // guarded by the lock

    private GuardedCaches(
            CacheStore store,
            @Nullable AutoCloseable owned,
            Consumer<? super StampedeGuardedCacheBuilder<?, ?>> defaults) {
        this.store = requireNonNull(store, "store");
        this.owned = owned;
        this.defaults = requireNonNull(defaults, "defaults");
    }

    /**
     * {@return a new object without caches, whose defaults are those of the builder}
     *
     * @param store the store of all caches, which is not closed with them
     */
    public static GuardedCaches over(CacheStore store) {
        return over(store, each -> {});
    }

    /**
     * {@return a new object without caches}
     *
     * @param store the store of all caches, which is not closed with them
     * @param defaults calls of a builder, which are made on that of each cache; later calls replace these, or add listeners
     */
    public static GuardedCaches over(CacheStore store, Consumer<? super StampedeGuardedCacheBuilder<?, ?>> defaults) {
        return new GuardedCaches(store, null, defaults);
    }

    /**
     * {@return a new object without caches, which closes its store} Otherwise identical to {@link #over(CacheStore, Consumer)}.
     *
     * @param store the store of all caches, which is closed after them
     * @param defaults calls of a builder
     * @param <S> the type of the store
     */
    @SuppressWarnings("try") // any store, also one whose close() may be interrupted
    public static <S extends CacheStore & AutoCloseable> GuardedCaches owning(
            S store, Consumer<? super StampedeGuardedCacheBuilder<?, ?>> defaults) {
        return new GuardedCaches(store, store, defaults);
    }

    /**
     * {@return a new builder for a cache on the store, with the defaults} Its {@code build} throws an {@link IllegalStateException}
     * if a cache of this name is open here, whatever its settings, or if this object is closed; and an {@link
     * IllegalArgumentException} if there is no {@code keyEncoder} for keys that have no {@linkplain
     * io.stampedeguard.codec.KeyEncoder#isStandard standard text}.
     *
     * @param name the name of the cache, the same in all processes that share the entries
     * @param keyType the type of the keys; a primitive one stands for that of its objects
     * @param codec the codec of the values, the same in all processes
     * @param <K> the type of the keys
     * @param <V> the type of the values
     */
    public <K, V> StampedeGuardedCacheBuilder<K, V> cache(String name, Class<K> keyType, ValueCodec<V> codec) {
        StampedeGuardedCacheBuilder<K, V> builder = new StampedeGuardedCacheBuilder<>(name);
        builder.in(this, requireNonNull(keyType, "keyType")).store(store).codec(codec);
        defaults.accept(builder);
        return builder;
    }

    /** Creates a cache, unless one of this name is open. Other threads wait meanwhile, so that no name is built twice. */
    <K, V> StampedeGuardedCache<K, V> add(
            String name, CachePolicy policy, Supplier<StampedeGuardedCache<K, V>> create) {
        lock.lock();
        try {
            if (isClosed) {
                throw new IllegalStateException("cache '" + name + "' was not built: its GuardedCaches are closed");
            }
            StampedeGuardedCache<?, ?> other = open().get(name);
            if (other != null) {
                String difference = policy.differenceFrom(other.policy());
                throw new IllegalStateException("cache '" + name + "' is already open, and has one instance only"
                        + (difference.isEmpty() ? "" : "; another one was to have " + difference));
            }
            StampedeGuardedCache<K, V> cache = create.get();
            built.add(cache);
            return cache;
        } finally {
            lock.unlock();
        }
    }

    /** Forgets caches whose end is over, and returns a new map of the open ones; to be called under the lock. */
    private Map<String, StampedeGuardedCache<?, ?>> open() {
        built.removeIf(StampedeGuardedCache::isCloseEnded);
        Map<String, StampedeGuardedCache<?, ?>> open = new LinkedHashMap<>();
        for (StampedeGuardedCache<?, ?> cache : built) {
            if (!cache.isClosed()) {
                open.put(cache.name(), cache);
            }
        }
        return open;
    }

    /** {@return a new map of the open caches by their names, in the order in which they were built} */
    public Map<String, StampedeGuardedCache<?, ?>> byName() {
        lock.lock();
        try {
            return open();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Closes all caches, each as {@link StampedeGuardedCache#close} documents, and then the store, if this object owns it. The cache
     * that was built last is closed first: its loaders may use those that were built before it. This call waits for one cache after
     * another, while loads of the others run on, and for caches that other threads are closing; interrupt this thread to end all
     * waits. From now on, no cache is built; further calls of this method do nothing.
     *
     * @throws IllegalStateException if the store could not be closed
     */
    @Override
    public void close() {
        List<StampedeGuardedCache<?, ?>> lastFirst;
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            isClosed = true;
            lastFirst = new ArrayList<>(built);
        } finally {
            lock.unlock();
        }
        Collections.reverse(lastFirst);
        try {
            lastFirst.forEach(StampedeGuardedCache::closeOrAwaitClose);
        } finally {
            closeStore();
        }
    }

    private void closeStore() {
        if (owned != null) {
            try {
                owned.close();
            } catch (Exception e) {
                throw new IllegalStateException("the caches are closed, and their store could not be closed", e);
            }
        }
    }
}
