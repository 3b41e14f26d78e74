package io.stampedeguard;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.call.LoadFunction;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.read.AsyncReadPath;
import io.stampedeguard.internal.read.KeyInspector;
import io.stampedeguard.internal.read.Prefetcher;
import io.stampedeguard.internal.read.ReadPath;
import io.stampedeguard.internal.refresh.RefreshQueue;
import io.stampedeguard.internal.storage.KeyNames;
import io.stampedeguard.internal.write.WritePath;
import io.stampedeguard.loader.AsyncLoader;
import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.loader.BulkLoader;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadTimeoutException;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.RecentLoadFailureException;
import io.stampedeguard.loader.RecursiveLoadException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.PrefetchOptions;
import io.stampedeguard.report.HotKey;
import io.stampedeguard.report.KeyReport;
import io.stampedeguard.report.PrefetchResult;
import io.stampedeguard.store.StoreException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A read-through cache over a store that a fleet shares. For each key and expiry one caller in the whole fleet calls the
 * loader; the others get the stale value at once, or wait for the new one. <em>Thread-safe.</em>
 *
 * <pre>{@code
 * StampedeGuardedCache<Long, Product> products = StampedeGuardedCache.<Long, Product>builder("products")
 *         .store(RedisStore.using(jedis))
 *         .codec(JsonCodec.of(Product.class))
 *         .build();
 * Product product = products.get(42L, dao::findById);
 * }</pre>
 *
 * <p>One instance per process and name is enough and wanted: callers are brought together inside an instance first.
 * Values may be shared by callers: treat them as immutable.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class StampedeGuardedCache<K, V> implements AutoCloseable {
    private final CacheContext context;
    private final KeyNames<K> names;
    private final ReadPath<K, V> readPath;
    private final AsyncReadPath<K, V> asyncReadPath;
    private final WritePath<K, V> writePath;
    private final KeyInspector<K, V> keyInspector;
    private final RefreshQueue refreshQueue;
    private final @Nullable Loader<? super K, ? extends V> defaultLoader;
    private final Runnable onClose;
    private final AtomicBoolean closed = new AtomicBoolean();

    StampedeGuardedCache(CacheAssembly<K, V> assembly) {
        this.context = assembly.context;
        this.names = assembly.names;
        this.readPath = assembly.readPath;
        this.asyncReadPath = assembly.asyncReadPath;
        this.writePath = assembly.writePath;
        this.keyInspector = assembly.keyInspector;
        this.refreshQueue = assembly.refreshQueue;
        this.defaultLoader = assembly.defaultLoader;
        this.onClose = assembly::close;
        assembly.open();
    }

    /**
     * Starts a cache.
     *
     * @param <K> the type of the keys
     * @param <V> the type of the values
     * @param name the name, the same in all processes that share the entries; see {@link
     *     StampedeGuardedCacheBuilder#build()} for what is allowed
     * @return a new builder
     */
    public static <K, V> StampedeGuardedCacheBuilder<K, V> builder(String name) {
        return new StampedeGuardedCacheBuilder<>(name);
    }

    /**
     * Returns the value of a key, through the loader given to the builder. Otherwise identical to
     * {@link #get(Object, Loader)}.
     *
     * @param key the key
     * @return the value, or {@code null} if the origin has none
     * @throws IllegalStateException if the builder was given no loader, or the cache is closed
     * @throws CacheException as {@link #get(Object, Loader)}
     */
    public @Nullable V get(K key) {
        return get(key, defaultLoader("get(key, loader)"));
    }

    private Loader<? super K, ? extends V> defaultLoader(String instead) {
        if (defaultLoader == null) {
            throw new IllegalStateException("cache '" + name() + "' has no loader of its own: use " + instead);
        }
        return defaultLoader;
    }

    /**
     * Returns the value of a key if the near cache or the store has it, fresh or stale; never loads, and has nothing reloaded.
     * Blocks for one read of the store at most. If the store does not answer, a copy that the near cache took a moment ago is
     * the answer.
     *
     * @param key the key
     * @return the value, or {@code null} if there is none, or the origin has none
     * @throws WaitInterruptedException if this thread was interrupted while the store did not answer
     * @throws NullPointerException if the key is {@code null}
     * @throws IllegalArgumentException if the key has no text
     * @throws IllegalStateException if the cache is closed
     */
    public @Nullable V getIfPresent(K key) {
        checkOpen();
        return readPath.getIfPresent(key);
    }

    /**
     * Returns the value of a key. A fresh value costs one read of the store. A stale one is returned at once and reloaded
     * in the background. Without either, this call loads on its own thread (or on the {@code loaderExecutor}) if nobody
     * else in the fleet does, or waits for who does, at most for the policy's {@code waitTimeout}. Trouble with the store is never thrown: then the
     * process loads for itself, one load per key at a time and never more than {@code maxConcurrentLoads} at once.
     *
     * @param key the key
     * @param loader how to read the origin; not called when there is a value to return, or when somebody else loads
     * @return the value, or {@code null} if the origin has none
     * @throws LoadException if the loader failed, here or for the one this call waited for in this process
     * @throws LoadTimeoutException if the loader took longer than the policy's {@code loadTimeout}, here or for the one
     *     this call waited for in this process
     * @throws RecentLoadFailureException if the key cools down after a load that failed, in any process, and there is no
     *     stale value; nothing was loaded
     * @throws WaitTimeoutException if somebody else's load did not end in time; nothing was loaded
     * @throws WaitInterruptedException if this thread was interrupted while it waited; nothing was loaded
     * @throws OriginBusyException if no load could begin in time, or the {@code loaderExecutor} had no room; nothing was
     *     loaded
     * @throws NullPointerException if key or loader is {@code null}
     * @throws IllegalArgumentException if the key has no text
     * @throws IllegalStateException if the cache is closed
     */
    public @Nullable V get(K key, Loader<? super K, ? extends V> loader) {
        requireNonNull(loader, () -> "null loader for cache '" + name() + "'");
        checkOpen();
        return readPath.get(key, loader);
    }

    /**
     * Returns the value of a key, without making the caller wait. Otherwise identical to {@link #get(Object, Loader)}; one
     * load serves callers of either kind.
     *
     * <p>What the near cache has is the future's value at once. All else happens on the {@code asyncExecutor} (see {@link
     * StampedeGuardedCacheBuilder#asyncExecutor}), where futures are completed as well; one that comes too late for it, on a
     * thread of its own. So dependent actions that block, or take long, belong elsewhere ({@code thenApplyAsync}).
     *
     * <p>The future is the caller's own: to complete or to cancel it touches no other caller, and no load. It ends at the latest
     * after the policy's {@code waitTimeout}, counted from this call; if this call leads a load, when that ends. The loader is
     * called and its stage awaited on a thread of the {@code asyncExecutor}, or on the {@code loaderExecutor} if there is one. At
     * the {@code loadTimeout} the stage is cancelled; one that runs on nevertheless is not counted as a load any more.
     *
     * <p>A loader may ask for other keys. Each of these loads needs a permit of its own, as all of them run at once: when
     * {@code maxConcurrentLoads} loads wait for others which find no permit, the {@code waitTimeout} ends it. A loader that
     * asks for its own key gets a future with a {@link RecursiveLoadException} if it asks on the thread on which it was
     * called; from another thread that is not seen, and ends with the {@code waitTimeout} of the future, or the {@code loadTimeout}.
     *
     * @param key the key
     * @param loader how to read the origin; not called when there is a value to return, or when somebody else loads
     * @return a new future: of the value, or of {@code null} if the origin has none. It fails with what {@link #get(Object,
     *     Loader)} throws: {@code join()} throws a {@link java.util.concurrent.CompletionException} with the {@link
     *     CacheException} as its cause. With an {@link OriginBusyException} also if the {@code asyncExecutor} rejects the work or
     *     has no thread for it within the {@code waitTimeout}; with an {@link IllegalStateException} if the cache is closed
     *     meanwhile
     * @throws NullPointerException if key or loader is {@code null}
     * @throws IllegalArgumentException if the key has no text
     * @throws IllegalStateException if the cache is closed
     */
    public CompletableFuture<@Nullable V> getAsync(K key, AsyncLoader<? super K, ? extends V> loader) {
        requireNonNull(loader, () -> "null loader for cache '" + name() + "'");
        checkOpen();
        return asyncReadPath.get(key, asyncReadPath.waitingFor(loader));
    }

    /**
     * Returns the value of a key, through the loader given to the builder. Otherwise identical to
     * {@link #getAsync(Object, AsyncLoader)}; the loader is called on a thread of the {@code asyncExecutor}, or on the
     * {@code loaderExecutor} if there is one.
     *
     * @param key the key
     * @return a new future, as of {@link #getAsync(Object, AsyncLoader)}
     * @throws NullPointerException if the key is {@code null}
     * @throws IllegalArgumentException if the key has no text
     * @throws IllegalStateException if the builder was given no loader, or the cache is closed
     */
    public CompletableFuture<@Nullable V> getAsync(K key) {
        Loader<? super K, ? extends V> loader = defaultLoader("getAsync(key, loader)");
        checkOpen();
        return asyncReadPath.get(key, loader);
    }

    /**
     * Returns the values of many keys, as {@link #get(Object, Loader)} does of each, but all at once: one read of the store
     * for all that are there, and one call of the loader for all that this call is to load. Keys that somebody else loads
     * are waited for, not loaded; what is stale or soon will be is reloaded in the background, all of it by one call of the
     * loader. However calls of many threads and processes overlap, each key is loaded once, and they do not block each
     * other.
     *
     * @param keys the keys; those that are there twice are asked for once
     * @param loader how to read the origin; called with those keys only that this call is to load
     * @return a new map of the values, in the order of the keys, without those of which the origin has none
     * @throws BulkLoadException if some keys have no answer; it tells why, and has the values of the others
     * @throws NullPointerException if keys, a key or loader is {@code null}; nothing was asked
     * @throws IllegalArgumentException if a key has no text; nothing was asked
     * @throws IllegalStateException if the cache is closed
     */
    public Map<K, V> getAll(Collection<? extends K> keys, BulkLoader<K, V> loader) {
        requireNonNull(keys, () -> "null keys for cache '" + name() + "'");
        requireNonNull(loader, () -> "null loader for cache '" + name() + "'");
        checkOpen();
        return readPath.getAll(keys, LoadFunction.ofAll(loader));
    }

    /**
     * Returns the values of many keys, through the loader given to the builder, which is called for each key that this call is to
     * load, one after another, each with a {@code loadTimeout} of its own. Otherwise identical to {@link #getAll(Collection,
     * BulkLoader)}.
     *
     * @param keys the keys; those that are there twice are asked for once
     * @return a new map of the values, in the order of the keys, without those of which the origin has none
     * @throws BulkLoadException if some keys have no answer; it tells why, and has the values of the others
     * @throws NullPointerException if keys or a key is {@code null}; nothing was asked
     * @throws IllegalArgumentException if a key has no text; nothing was asked
     * @throws IllegalStateException if the builder was given no loader, or the cache is closed
     */
    public Map<K, V> getAll(Collection<? extends K> keys) {
        requireNonNull(keys, () -> "null keys for cache '" + name() + "'");
        Loader<? super K, ? extends V> loader = defaultLoader("getAll(keys, loader)");
        checkOpen();
        return readPath.getAll(keys, LoadFunction.ofEach(loader));
    }

    /**
     * Returns the values of many keys, without making the caller wait. Otherwise identical to {@link #getAll(Collection,
     * BulkLoader)}, which runs on one thread of the {@code asyncExecutor} and holds it until all keys have an answer.
     *
     * @param keys the keys, which are copied; those that are there twice are asked for once
     * @param loader how to read the origin; called with those keys only that this call is to load
     * @return a new future of a new map of the values, as of {@link #getAll(Collection, BulkLoader)}. It fails with what that
     *     throws; with an {@link OriginBusyException} if the {@code asyncExecutor} rejects the work or has no thread for it within
     *     the {@code waitTimeout}; with a {@link RecursiveLoadException} if this thread is loading one of the keys; with an {@link
     *     IllegalStateException} if the cache is closed meanwhile. To complete or to cancel it ends no load
     * @throws NullPointerException if keys, a key or loader is {@code null}; nothing was asked
     * @throws IllegalArgumentException if a key has no text; nothing was asked
     * @throws IllegalStateException if the cache is closed
     */
    public CompletableFuture<Map<K, V>> getAllAsync(Collection<? extends K> keys, BulkLoader<K, V> loader) {
        requireNonNull(keys, () -> "null keys for cache '" + name() + "'");
        requireNonNull(loader, () -> "null loader for cache '" + name() + "'");
        checkOpen();
        return asyncReadPath.getAll(keys, LoadFunction.ofAll(loader));
    }

    /**
     * Returns the values of many keys, through the loader given to the builder, as {@link #getAll(Collection)} does, and without
     * making the caller wait. Otherwise identical to {@link #getAllAsync(Collection, BulkLoader)}.
     *
     * @param keys the keys, which are copied; those that are there twice are asked for once
     * @return a new future, as of {@link #getAllAsync(Collection, BulkLoader)}
     * @throws NullPointerException if keys or a key is {@code null}; nothing was asked
     * @throws IllegalArgumentException if a key has no text; nothing was asked
     * @throws IllegalStateException if the builder was given no loader, or the cache is closed
     */
    public CompletableFuture<Map<K, V>> getAllAsync(Collection<? extends K> keys) {
        requireNonNull(keys, () -> "null keys for cache '" + name() + "'");
        Loader<? super K, ? extends V> loader = defaultLoader("getAllAsync(keys, loader)");
        checkOpen();
        return asyncReadPath.getAll(keys, LoadFunction.ofEach(loader));
    }

    /**
     * Loads keys before anybody asks for them, at the pace of the defaults. As {@link #prefetch(Collection, BulkLoader,
     * PrefetchOptions)} else.
     *
     * @param keys the keys
     * @param loader how to read the origin
     * @return how many have a value now
     */
    public PrefetchResult prefetch(Collection<? extends K> keys, BulkLoader<K, V> loader) {
        return prefetch(keys, loader, PrefetchOptions.defaults());
    }

    /**
     * Loads keys before anybody asks for them, in batches, at a bounded rate, and returns when all is done. What is there
     * anywhere is not loaded. A batch that fails does not end it.
     *
     * @param keys the keys; those that are there twice are asked for once
     * @param loader how to read the origin
     * @param options how fast, and who is told how far it is
     * @return how many have a value now
     * @throws WaitInterruptedException if this thread was interrupted: its flag is set again, and what was loaded so far is
     *     stored
     * @throws NullPointerException if an argument or a key is {@code null}; nothing was asked
     * @throws IllegalArgumentException if a key has no text; nothing was asked
     * @throws IllegalStateException if the cache is closed, or was closed meanwhile
     */
    public PrefetchResult prefetch(Collection<? extends K> keys, BulkLoader<K, V> loader, PrefetchOptions options) {
        requireNonNull(keys, () -> "null keys for cache '" + name() + "'");
        requireNonNull(loader, () -> "null loader for cache '" + name() + "'");
        requireNonNull(options, () -> "null options for cache '" + name() + "'");
        checkOpen();
        return new Prefetcher<>(keys, options, context, names).run(batch -> getAll(batch, loader));
    }

    /**
     * Notifies the fleet that a key was created at the origin, without a value at hand: adds the key to the key filter and removes
     * what is cached for it, above all "the origin has none", as {@link #invalidate} does. Every {@code get} that begins after this
     * has returned, in any process that reaches the store, sees what the origin has. A near cache in another process follows
     * within its {@code maxStaleness}.
     *
     * <p>Call it after the transaction that created the row was committed, for each new row without a {@link #put}. A key for which
     * it was not called may stay absent: for the policy's {@code negativeTtl} if it was requested before, and with a key filter
     * until its next rebuild. A filter for one process contains only the keys that were created there.
     *
     * @param key the key
     * @throws StoreException if the filter or the store did not answer; the key may be declared absent: call this again
     * @throws NullPointerException if the key is {@code null}
     * @throws IllegalArgumentException if the key has no text, or is not valid
     * @throws IllegalStateException if the cache is closed
     */
    public void keyCreated(K key) {
        checkOpen();
        writePath.keyCreated(key);
    }

    /**
     * Stores a value as if it had just been loaded. A load that is in flight anywhere is not stored over it. The key filter, if
     * there is one, learns the key.
     *
     * @param key the key
     * @param value the value, not {@code null}; to remove one, {@link #invalidate}
     * @throws StoreException if the key filter or the store did not answer; the value may or may not be stored
     * @throws NullPointerException if key or value is {@code null}
     * @throws IllegalArgumentException if the key has no text, or is not valid, or the codec cannot encode the value, or it is
     *     larger than the policy's {@code maxPayloadBytes}
     * @throws IllegalStateException if the cache is closed
     */
    public void put(K key, V value) {
        requireNonNull(value, () -> "null value for cache '" + name() + "'");
        checkOpen();
        writePath.put(key, value);
    }

    /**
     * Removes a key: no {@code get} that begins after this call returned is answered with a value that was loaded before
     * it, in any process that reaches the store. A load that is in flight anywhere is not stored.
     *
     * @param key the key
     * @throws StoreException if the store did not answer; the value may still be there
     * @throws NullPointerException if the key is {@code null}
     * @throws IllegalArgumentException if the key has no text
     * @throws IllegalStateException if the cache is closed
     */
    public void invalidate(K key) {
        checkOpen();
        writePath.invalidate(key);
    }

    /**
     * Marks the value of a key as stale: the next {@code get} still returns it, and triggers a reload. A load that is in
     * flight anywhere is not stored. Under a policy that never serves stale values this is {@link #invalidate}, and "the
     * origin has none" is never served stale either: the next {@code get} loads.
     *
     * @param key the key
     * @throws StoreException if the store did not answer; the value may still be fresh
     * @throws NullPointerException if the key is {@code null}
     * @throws IllegalArgumentException if the key has no text
     * @throws IllegalStateException if the cache is closed
     */
    public void expire(K key) {
        checkOpen();
        writePath.expire(key);
    }

    /**
     * Returns the cache's name.
     *
     * @return the name given to the builder
     */
    public String name() {
        return context.name();
    }

    /**
     * Returns the policy in force.
     *
     * @return the policy
     */
    public CachePolicy policy() {
        return context.policy();
    }

    /**
     * Returns how many exceptions were caught that no caller saw, since the cache was built.
     *
     * @param source whose exceptions
     * @return their number
     */
    public long faults(FaultSource source) {
        return context.events().faults(source);
    }

    /**
     * Returns the keys for which most callers of this process wait, for a load here or in another process. Waits of now
     * count most: each five minutes all counts are halved. Costs the calls that hit nothing, and its memory is bounded:
     * about the 128 keys that are waited for most are counted. As all is estimated, see {@link HotKey#waits}. Does not
     * block.
     *
     * @param most how many keys at most, at least 1
     * @return the keys, the hottest first; none if nobody has waited lately
     * @throws IllegalArgumentException if it is less than 1
     */
    public List<HotKey> hotKeys(int most) {
        if (most < 1) {
            throw new IllegalArgumentException("cache '" + name() + "': " + most + " hot keys, but 1 is the least");
        }
        return context.hotKeys().top(most);
    }

    /**
     * Returns what is known of a key now, for people who want to know why it is answered as it is; its {@code toString} is
     * fit for a log. Changes nothing: nothing is loaded, no lease taken, no answer counted. But a key filter that does not
     * answer it is left out for as long as after any other question, a second if it is in Redis. Blocks for a round trip to
     * the store, and for what the key filter takes; if the store does not answer, the report says so.
     *
     * @param key the key
     * @return what is known of it
     * @throws NullPointerException if the key is {@code null}
     * @throws IllegalArgumentException if the key has no text
     * @throws IllegalStateException if the cache is closed
     */
    public KeyReport explain(K key) {
        checkOpen();
        return keyInspector.inspect(key);
    }

    /** Returns how many entries are being reloaded in the background, or wait for it. */
    int reloading() {
        return refreshQueue.reloading();
    }

    /**
     * Ends the cache's background threads; a loader that runs on one is interrupted. Futures that are not done fail with an
     * {@link IllegalStateException}. Loads on callers' threads, and on executors that were given, run on.
     * The store stays open: it may serve others. Further calls of a closed cache fail, but for this one.
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            onClose.run();
        }
    }

    /** Returns the name and the policy. */
    @Override
    public String toString() {
        return "StampedeGuardedCache[" + name() + ", " + policy() + "]";
    }

    private void checkOpen() {
        if (closed.get()) {
            throw new IllegalStateException("cache '" + name() + "' is closed");
        }
    }
}
