package io.stampedeguard;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.call.LoadFunction;
import io.stampedeguard.internal.read.Prefetcher;
import io.stampedeguard.internal.read.ReadPath;
import io.stampedeguard.loader.AsyncLoader;
import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.loader.BulkLoader;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadTimeoutException;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.LookupResult;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.RecentLoadFailureException;
import io.stampedeguard.loader.RecursiveLoadException;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.report.CacheStats;
import io.stampedeguard.report.KeyReport;
import io.stampedeguard.report.PrefetchResult;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A read-through cache over a store that a fleet of processes shares. For each key and expiry, one caller in the whole fleet
 * invokes the loader; the others get the stale value at once, or wait for the new one. <em>Thread-safe.</em>
 * <pre>{@code
 * StampedeGuardedCache<Long, Product> products = StampedeGuardedCache.<Long, Product>builder("products")
 *         .store(RedisStore.using(jedis))
 *         .codec(JsonCodec.of(Product.class))
 *         .build();
 * Product product = products.get(42L, dao::findById);
 * }</pre>
 *
 * <p>Use one instance per process and name: concurrent loads are coalesced within an instance first. Callers may share values;
 * treat values as immutable. Unless stated otherwise, methods that take keys throw a {@link NullPointerException} if an argument
 * or a key is {@code null}, an {@link IllegalArgumentException} if a key cannot be encoded as text, and an {@link
 * IllegalStateException} if the cache is closed; nothing was requested then.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class StampedeGuardedCache<K, V> implements AutoCloseable {
    private final CacheAssembly<K, V> parts;
    private final ReadPath<K, V> readPath;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CountDownLatch closeEnded = new CountDownLatch(1);

    StampedeGuardedCache(CacheAssembly<K, V> assembly) {
        this.parts = assembly;
        this.readPath = assembly.readPath;
        assembly.open();
    }

    /**
     * {@return a new builder for a cache}
     *
     * @param <K> the type of the keys
     * @param <V> the type of the values
     * @param name the name, the same in all processes that share the entries; see {@link StampedeGuardedCacheBuilder#build()}
     */
    public static <K, V> StampedeGuardedCacheBuilder<K, V> builder(String name) {
        return new StampedeGuardedCacheBuilder<>(name);
    }

    /**
     * {@return the value for a key, using the loader given to the builder} Otherwise identical to {@link #get(Object, Loader)}.
     *
     * @param key the key
     * @throws IllegalStateException if the builder was given no loader, or the cache is closed
     */
    public @Nullable V get(K key) {
        return get(key, defaultLoader("get(key, loader)"));
    }

    private Loader<? super K, ? extends V> defaultLoader(String instead) {
        Loader<? super K, ? extends V> defaultLoader = parts.defaultLoader;
        if (defaultLoader == null) {
            throw new IllegalStateException("cache '" + name() + "' has no default loader: use " + instead);
        }
        return defaultLoader;
    }

    /**
     * {@return the value of a key if the near cache or the store has it, fresh or stale; {@code null} if neither has it, or the
     * origin has none} Neither loads nor triggers a reload. Blocks for one read of the store at most. If the store does not
     * answer, returns a copy in this process, fresh or stale, within {@code maxStalenessWhenDisconnected}. Until two consecutive
     * requests got no answer, a copy from before a gap in the notifications is returned only within {@code maxStaleness}.
     *
     * @param key the key
     * @throws WaitInterruptedException if this thread was interrupted while the store did not answer
     */
    public @Nullable V getIfPresent(K key) {
        checkOpen();
        return readPath.getIfPresent(key);
    }

    /**
     * {@return what the near cache or the store has for a key, fresh or stale, with a fence for {@link #put(Object, Object,
     * LookupResult.Fence)}} Otherwise identical to {@link #getIfPresent}. The fence costs a second round trip if there is nothing, or a
     * value that was {@linkplain #expire expired}. Without an answer of the store, or while the key is being loaded or cools down, no
     * put passes the fence.
     *
     * @param key the key
     * @throws WaitInterruptedException if this thread was interrupted while the store did not answer
     */
    public LookupResult<V> lookup(K key) {
        checkOpen();
        return readPath.lookup(key);
    }

    /**
     * Returns a future of what {@link #lookup} returns; this call does not block. Where the store is read, and the future completed, is
     * as by {@link #getAsync(Object, AsyncLoader)}.
     *
     * @param key the key
     * @return a new future, which belongs to the caller. It fails with an {@link OriginBusyException} if the {@code asyncExecutor}
     *     rejects the work, or has no thread for it within the {@code waitTimeout}; with a {@link WaitTimeoutException} if the store
     *     has not answered within it; and with an {@link IllegalStateException} if the cache is closed
     */
    public CompletableFuture<LookupResult<V>> lookupAsync(K key) {
        checkOpen();
        return parts.asyncReads.lookup(key);
    }

    /**
     * {@return the value of a key, or {@code null} if the origin has none} A fresh value costs one read of the store. A stale
     * value is returned at once and reloaded in the background. If there is neither, this call invokes the loader on its own
     * thread (or on the {@code loaderExecutor}) unless another caller in the fleet is loading the key; then it waits, at most for
     * the policy's {@code waitTimeout}. Failures of the store are never thrown: the process then loads without the store, one
     * load per key at a time and never more than {@code maxConcurrentLoads} at once. A value that was loaded while this process
     * publishes another one is published soon after this method returns.
     *
     * @param key the key
     * @param loader reads the origin; not invoked if there is a value to return, or if another caller is loading the key
     * @throws LoadException if the loader failed, in this call or in the call that this one waited for in this process
     * @throws LoadTimeoutException if the loader took longer than the policy's {@code loadTimeout}, in this call or in the call
     *     that this one waited for in this process
     * @throws RecentLoadFailureException if a load of the key has just failed in any process, the key is cooling down, and there
     *     is no stale value; nothing was loaded
     * @throws WaitTimeoutException if another caller's load did not end in time; nothing was loaded
     * @throws WaitInterruptedException if this thread was interrupted while it waited; nothing was loaded
     * @throws OriginBusyException if no load could start in time, or the {@code loaderExecutor} rejected it; nothing was loaded
     */
    public @Nullable V get(K key, Loader<? super K, ? extends V> loader) {
        requireNonNull(loader, () -> "null loader for cache '" + name() + "'");
        checkOpen();
        return readPath.get(key, loader, null);
    }

    /**
     * {@return the value of a key, or {@code null} if the origin has none} This call waits no longer than {@code maxWait} for another
     * caller's load, for a permit to load, or for a connection to the store; the policy's {@code waitTimeout} remains a limit.
     * Otherwise identical to {@link #get(Object, Loader)}, and when the time is over, to that call when its {@code waitTimeout} is
     * over.
     *
     * <p>The limit is for waiting only, and only for this call. If this call leads the load, it returns when its loader does, or at
     * the {@code loadTimeout}: others wait for the same load, each within its own limit. If its time is over before the loader is
     * invoked, one of those that still wait leads from then on. A request to the store takes its own time as well. For a
     * limit on the whole call, use {@link #getAsync} and a limit on the future.
     *
     * @param key the key
     * @param loader reads the origin; not invoked if there is a value to return, or if another caller is loading the key
     * @param maxWait how long this call waits; zero: not at all
     * @throws IllegalArgumentException if {@code maxWait} is negative, or the key cannot be encoded as text
     */
    public @Nullable V get(K key, Loader<? super K, ? extends V> loader, Duration maxWait) {
        requireNonNull(loader, () -> "null loader for cache '" + name() + "'");
        requireNonNull(maxWait, () -> "null maxWait for cache '" + name() + "'");
        if (maxWait.isNegative()) {
            throw new IllegalArgumentException("cache '" + name() + "': maxWait " + maxWait + " is negative");
        }
        checkOpen();
        return readPath.get(key, loader, maxWait);
    }

    /**
     * Returns a future for the value of a key; this call does not block. Otherwise identical to {@link #get(Object, Loader)}; one
     * load serves both kinds of callers.
     *
     * <p>A value in the near cache completes the future at once. Otherwise the store is read on the {@code asyncExecutor} (see
     * {@link StampedeGuardedCacheBuilder#asyncExecutor}), which also completes the futures, however the call ends; if the {@code
     * asyncExecutor} rejects that, or is late by 50 ms, a thread of its own completes them. Run dependent actions that block or take
     * long elsewhere ({@code thenApplyAsync}).
     *
     * <p>The future belongs to the caller: completing or cancelling it affects no other caller and no load. It completes at the
     * latest after the policy's {@code waitTimeout}, counted from this call, or, if this call leads a load, when the load ends.
     * The loader is invoked, and its stage awaited, on a thread of the cache, whatever executors there are. At the {@code
     * loadTimeout} the stage is cancelled; a stage that keeps running is no longer counted as a load.
     *
     * <p>A loader may request other keys. Each of these loads needs a permit of its own, because all of them run at once: if
     * {@code maxConcurrentLoads} loads wait for others that find no permit, the {@code waitTimeout} ends the wait. A loader that
     * requests its own key on the thread on which it was invoked gets a future with a {@link RecursiveLoadException}. From
     * another thread this is not detected, and ends with the {@code waitTimeout} of the future or with the {@code loadTimeout}.
     *
     * @param key the key
     * @param loader reads the origin; not invoked if there is a value to return, or if another caller is loading the key
     * @return a new future of the value, or of {@code null} if the origin has none. It fails with what {@link #get(Object,
     *     Loader)} throws: {@code join()} throws a {@link java.util.concurrent.CompletionException} with the {@link
     *     CacheException} as its cause. Also with an {@link OriginBusyException} if the {@code asyncExecutor} rejects the work or
     *     has no thread for it within the {@code waitTimeout}, and with an {@link IllegalStateException} if the cache is closed
     */
    public CompletableFuture<@Nullable V> getAsync(K key, AsyncLoader<? super K, ? extends V> loader) {
        requireNonNull(loader, () -> "null loader for cache '" + name() + "'");
        checkOpen();
        return parts.asyncReads.get(key, parts.asyncReads.waitingFor(loader));
    }

    /**
     * {@return a new future for the value of a key, using the loader given to the builder} Otherwise identical to {@link
     * #getAsync(Object, AsyncLoader)}; the loader is called on a thread of the cache, or on the {@code loaderExecutor} if there is
     * one.
     *
     * @param key the key
     * @throws IllegalStateException if the builder was given no loader, or the cache is closed
     */
    public CompletableFuture<@Nullable V> getAsync(K key) {
        Loader<? super K, ? extends V> loader = defaultLoader("getAsync(key, loader)");
        checkOpen();
        return parts.asyncReads.get(key, loader);
    }

    /**
     * {@return a new map of the values of many keys, in the order of the keys, without the keys of which the origin has no value}
     * Each key is treated as by {@link #get(Object, Loader)}, but together: one read of the store, and one invocation of the
     * loader for all keys that this call loads. This call waits for keys that other callers are loading. Entries that are stale,
     * or soon will be, are reloaded in the background by one invocation of the loader. However calls of many threads and
     * processes overlap, each key is loaded once, and the calls do not deadlock.
     *
     * @param keys the keys; duplicates are requested once
     * @param loader reads the origin; invoked with only those keys that this call loads
     * @throws BulkLoadException if some keys have no answer; it contains the reasons, and the values of the other keys
     */
    public Map<K, V> getAll(Collection<? extends K> keys, BulkLoader<K, V> loader) {
        requireNonNull(keys, () -> "null keys for cache '" + name() + "'");
        requireNonNull(loader, () -> "null loader for cache '" + name() + "'");
        checkOpen();
        return readPath.getAll(keys, LoadFunction.ofAll(loader));
    }

    /**
     * {@return the values of many keys, using the loader given to the builder} It is invoked for one key after another, each
     * with its own {@code loadTimeout}. Otherwise identical to {@link #getAll(Collection, BulkLoader)}.
     *
     * @param keys the keys; duplicates are requested once
     * @throws IllegalStateException if the builder was given no loader, or the cache is closed
     */
    public Map<K, V> getAll(Collection<? extends K> keys) {
        requireNonNull(keys, () -> "null keys for cache '" + name() + "'");
        Loader<? super K, ? extends V> loader = defaultLoader("getAll(keys, loader)");
        checkOpen();
        return readPath.getAll(keys, LoadFunction.ofEach(loader));
    }

    /**
     * Returns a future for the values of many keys; this call does not block. Otherwise identical to {@link #getAll(Collection,
     * BulkLoader)}; a thread of the cache is occupied from the first miss until all keys have an answer. If the near cache has all
     * keys, the future is complete.
     *
     * @param keys the keys, which are copied; duplicates are requested once
     * @param loader reads the origin; invoked with only those keys that this call loads
     * @return a new future of a new map of the values, as of {@link #getAll(Collection, BulkLoader)}. It fails with the
     *     exceptions of that method, among them a {@link BulkLoadException} with a {@link RecursiveLoadException} for a key that
     *     this thread is loading; with an {@link OriginBusyException} if the {@code asyncExecutor} rejects the task or has no thread
     *     to read the store within the {@code waitTimeout}; with an {@link IllegalStateException} if the cache is closed. Completing
     *     or cancelling it does not stop a load
     */
    public CompletableFuture<Map<K, V>> getAllAsync(Collection<? extends K> keys, BulkLoader<K, V> loader) {
        requireNonNull(keys, () -> "null keys for cache '" + name() + "'");
        requireNonNull(loader, () -> "null loader for cache '" + name() + "'");
        checkOpen();
        return parts.asyncReads.getAll(keys, LoadFunction.ofAll(loader));
    }

    /**
     * {@return a new future for the values of many keys, using the loader given to the builder, as by {@link
     * #getAll(Collection)}} Otherwise identical to {@link #getAllAsync(Collection, BulkLoader)}.
     *
     * @param keys the keys, which are copied; duplicates are requested once
     * @throws IllegalStateException if the builder was given no loader, or the cache is closed
     */
    public CompletableFuture<Map<K, V>> getAllAsync(Collection<? extends K> keys) {
        requireNonNull(keys, () -> "null keys for cache '" + name() + "'");
        Loader<? super K, ? extends V> loader = defaultLoader("getAllAsync(keys, loader)");
        checkOpen();
        return parts.asyncReads.getAll(keys, LoadFunction.ofEach(loader));
    }

    /**
     * Loads keys in advance, in batches of 100 keys and at most 1,000 keys per second, cached ones included, and returns when all
     * batches are done. Keys that are cached anywhere are not loaded. A batch that fails does not end the prefetch. No batch begins
     * while the policy's {@code originGuard} defers loads that nobody waits for. A listener is notified after each batch; for a lower
     * rate, prefetch parts of the keys.
     *
     * @param keys the keys; duplicates are requested once
     * @param loader reads the origin
     * @return the numbers of keys that are present, absent, or failed
     * @throws WaitInterruptedException if this thread was interrupted: its flag is set again, and what was loaded is stored
     * @throws IllegalStateException if the cache is closed, or is closed during the prefetch
     */
    public PrefetchResult prefetch(Collection<? extends K> keys, BulkLoader<K, V> loader) {
        requireNonNull(keys, () -> "null keys for cache '" + name() + "'");
        requireNonNull(loader, () -> "null loader for cache '" + name() + "'");
        checkOpen();
        return new Prefetcher<>(keys, parts.context, parts.admission, parts.originGuard)
                .run(batch -> prefetch(batch, loader));
    }

    private Map<K, V> prefetch(List<K> batch, BulkLoader<K, V> loader) {
        checkOpen();
        return readPath.getAll(batch, LoadFunction.ofAll(loader));
    }

    /**
     * Loads a key now, whatever is cached, and returns a future of the value; this call does not block. What the future returns was
     * loaded after this call began, by this call or another one, in any process. Until it is stored, the value that is cached answers
     * all callers; if the load fails, it stays. Near caches in other processes keep their copies until these are due for a reload:
     * if the value has become wrong, call {@link #expire} or {@link #invalidate} first.
     *
     * <p>The load is one for which a caller waits: it takes a lease and a permit, and the policy's {@code originGuard} does not defer
     * it. While another caller or process loads the key, this call waits for the end of that load, at most for the {@code
     * waitTimeout}; then it loads, unless another load has begun since this call, whose value is then the answer. While the store does
     * not answer, the key is loaded without a lease as by {@link #get(Object, Loader)}, and copies in this process are no answer.
     *
     * <p>The loader runs as by {@link #getAsync(Object)}. This call counts as a load, and not as a read.
     *
     * @param key the key
     * @param loader reads the origin; not invoked if another load has begun since this call
     * @return a new future of the value, or of {@code null} if the origin has none, or the key is not valid or in no key filter. It
     *     fails as that of {@link #getAsync(Object, AsyncLoader)}; with a {@link RecentLoadFailureException} if the key cools down.
     *     Completing or cancelling it does not stop a load
     */
    public CompletableFuture<@Nullable V> refresh(K key, Loader<? super K, ? extends V> loader) {
        requireNonNull(loader, () -> "null loader for cache '" + name() + "'");
        checkOpen();
        return parts.asyncReads.refresh(key, loader);
    }

    /**
     * Loads a key now, using the loader given to the builder. Otherwise identical to {@link #refresh(Object, Loader)}.
     *
     * @param key the key
     * @return a new future of the value, or of {@code null} if the origin has none
     * @throws IllegalStateException if the builder was given no loader, or the cache is closed
     */
    public CompletableFuture<@Nullable V> refresh(K key) {
        return refresh(key, defaultLoader("refresh(key, loader)"));
    }

    /**
     * {@return the value of a key that is not older than {@code maxAge}, or {@code null} if the origin has none} Reads the store, past
     * the near cache. A fresh value, or cached absence, whose load began within the last {@code maxAge} is returned. Otherwise this
     * call loads as {@link #refresh} does, and waits like {@link #get(Object, Loader)}: what it returns was loaded after it began, or
     * is young enough. Other callers are answered by what is cached meanwhile. With zero, nothing that is cached is returned.
     *
     * <p>Ages are by the store's clock as this process knows it, in milliseconds, and count from the beginning of a load; for one of
     * several keys that a bulk loader has loaded, from the end less its share of the time; for a value of {@link #put(Object, Object)},
     * from that call. While the store does not answer, the key is loaded without a lease, and copies in this process are no answer,
     * however young.
     *
     * @param key the key
     * @param maxAge the maximum age of what is cached
     * @param loader reads the origin
     * @throws IllegalArgumentException if {@code maxAge} is negative, or the key cannot be encoded as text
     * @throws CacheException as by {@link #get(Object, Loader)}
     */
    public @Nullable V getNotOlderThan(K key, Duration maxAge, Loader<? super K, ? extends V> loader) {
        requireNonNull(loader, () -> "null loader for cache '" + name() + "'");
        requireMaxAge(maxAge);
        checkOpen();
        return readPath.getNotOlderThan(key, maxAge, loader);
    }

    private void requireMaxAge(Duration maxAge) {
        requireNonNull(maxAge, () -> "null maxAge for cache '" + name() + "'");
        if (maxAge.isNegative()) {
            throw new IllegalArgumentException("cache '" + name() + "': maxAge " + maxAge + " is negative");
        }
    }

    /**
     * {@return the value of a key that is not older than {@code maxAge}, using the loader given to the builder} Otherwise identical to
     * {@link #getNotOlderThan(Object, Duration, Loader)}.
     *
     * @param key the key
     * @param maxAge the maximum age of what is cached
     * @throws IllegalStateException if the builder was given no loader, or the cache is closed
     */
    public @Nullable V getNotOlderThan(K key, Duration maxAge) {
        return getNotOlderThan(key, maxAge, defaultLoader("getNotOlderThan(key, maxAge, loader)"));
    }

    /**
     * Returns a future for the value of a key that is not older than {@code maxAge}; this call does not block. Otherwise identical to
     * {@link #getNotOlderThan(Object, Duration, Loader)}, and in its threads and its end to {@link #getAsync(Object, AsyncLoader)}.
     *
     * @param key the key
     * @param maxAge the maximum age of what is cached
     * @param loader reads the origin
     * @return a new future of the value, or of {@code null} if the origin has none
     * @throws IllegalArgumentException if {@code maxAge} is negative, or the key cannot be encoded as text
     */
    public CompletableFuture<@Nullable V> getNotOlderThanAsync(
            K key, Duration maxAge, AsyncLoader<? super K, ? extends V> loader) {
        requireNonNull(loader, () -> "null loader for cache '" + name() + "'");
        requireMaxAge(maxAge);
        checkOpen();
        return parts.asyncReads.getNotOlderThan(key, maxAge, parts.asyncReads.waitingFor(loader));
    }

    /**
     * {@return a new future for the value of a key that is not older than {@code maxAge}, using the loader given to the builder}
     * Otherwise identical to {@link #getNotOlderThanAsync(Object, Duration, AsyncLoader)}; the loader runs as by {@link
     * #getAsync(Object)}.
     *
     * @param key the key
     * @param maxAge the maximum age of what is cached
     * @throws IllegalStateException if the builder was given no loader, or the cache is closed
     */
    public CompletableFuture<@Nullable V> getNotOlderThanAsync(K key, Duration maxAge) {
        Loader<? super K, ? extends V> loader = defaultLoader("getNotOlderThanAsync(key, maxAge, loader)");
        requireMaxAge(maxAge);
        checkOpen();
        return parts.asyncReads.getNotOlderThan(key, maxAge, loader);
    }

    /**
     * Notifies the fleet that a key was created at the origin, without a value at hand: adds the key to the key filter and
     * removes what is cached for it, above all "the origin has none", as {@link #invalidate} does. Every {@code get} that begins
     * after this has returned, in any process that reaches the store, sees what the origin has. A near cache in another process
     * follows within its {@code maxStaleness}.
     *
     * <p>Call it after the transaction that created the row was committed, for each new row without a {@link #put}. A key for
     * which it was not called may stay absent: for the policy's {@code negativeTtl} if it was requested before, and with a key
     * filter until its next rebuild. A filter for one process contains only the keys that were created there.
     *
     * <p>If the store does not answer, the removal is queued as by {@link #invalidate}. Additions to the key filter are not queued.
     *
     * @param key the key
     * @throws StoreException if the filter did not answer: the key may be declared absent, so call this method again; or as by
     *     {@link #invalidate}
     * @throws IllegalArgumentException if the key cannot be encoded as text, or is not valid
     */
    public void keyCreated(K key) {
        checkOpen();
        parts.writePath.keyCreated(key);
    }

    /**
     * Stores a value as if it had just been loaded. A load that is running anywhere cannot overwrite it. The key is added to the
     * key filter, if there is one.
     *
     * <p>If the store does not answer, the change is queued as by {@link #invalidate}. While the store does not answer, callers of
     * this process get the value, until its soft TTL. The replay removes the key, and the next {@code get} loads: by then,
     * the value may be older than what another process has stored or invalidated since. The same happens if the call takes longer
     * than the store's {@link io.stampedeguard.store.SharedStore#patience() patience}, for instance because this process stood still:
     * a value is stored during its call, or never.
     *
     * @param key the key
     * @param value the value, not {@code null}; to remove one, {@link #invalidate}
     * @throws StoreException if the key filter did not answer: nothing was stored; or as by {@link #invalidate}
     * @throws IllegalArgumentException if the key cannot be encoded as text, or is not valid, or the codec cannot encode the
     *     value, or it is larger than the policy's {@code maxPayloadBytes}
     */
    public void put(K key, V value) {
        requireNonNull(value, () -> "null value for cache '" + name() + "'");
        checkOpen();
        parts.writePath.put(key, LoadedValue.of(value));
    }

    /**
     * Stores a value, or "the origin has none", with TTLs of its own. A result that is not to be cached ({@link
     * LoadedValue#isCached}; or absence without a TTL of its own, where the policy's {@code negativeTtl} is zero) removes the key, as
     * {@link #invalidate} does. Absence is not added to the key filter. Otherwise identical to {@link #put(Object, Object)}.
     *
     * @param key the key
     * @param loaded what the origin has
     * @throws StoreException as by {@link #put(Object, Object)}
     * @throws IllegalArgumentException as by {@link #put(Object, Object)}, or if it is {@link LoadedValue#notModified()}, or has {@link
     *     LoadedValue#asOf}
     */
    public void put(K key, LoadedValue<V> loaded) {
        requireLoaded(loaded);
        checkOpen();
        parts.writePath.put(key, loaded);
    }

    /**
     * Stores a value that was read at the origin after a look-up, unless the key was changed since, in any process: by a {@code put},
     * {@code invalidate}, {@code expire}, or {@code keyCreated}, a change of all keys or of a tag of the value, or the result of a load. So a slow caller cannot
     * bring back what others have removed. The result of a running load is then not stored. If the look-up has found nothing, or a
     * value that was {@linkplain #expire expired}, also refused because a load has begun, or if the fence is older than the policy's
     * {@code loadTimeout}, or was evicted. Never queued. A change that another process has queued is not known yet, and removes the
     * value when it is sent.
     *
     * @param key the key
     * @param value the value, not {@code null}
     * @param fence the fence of a look-up of this key
     * @return whether the value was stored; {@code false} also if the store did not answer, though it may have stored it
     * @throws StoreException if the key filter did not answer: nothing was stored
     * @throws IllegalArgumentException as by {@link #put(Object, Object)}, or if the fence is of another key
     */
    public boolean put(K key, V value, LookupResult.Fence fence) {
        requireNonNull(value, () -> "null value for cache '" + name() + "'");
        return put(key, LoadedValue.of(value), fence);
    }

    /**
     * {@return whether a value, or "the origin has none", was stored with TTLs of its own} What is not to be cached removes the key,
     * whatever the fence. Otherwise identical to {@link #put(Object, Object, LookupResult.Fence)}.
     *
     * @param key the key
     * @param loaded what the origin has; not {@link LoadedValue#notModified()}
     * @param fence the fence of a look-up of this key
     */
    public boolean put(K key, LoadedValue<V> loaded, LookupResult.Fence fence) {
        requireLoaded(loaded);
        requireNonNull(fence, () -> "null fence for cache '" + name() + "'");
        checkOpen();
        return parts.writePath.put(key, loaded, fence);
    }

    private void requireLoaded(LoadedValue<V> loaded) {
        requireNonNull(loaded, () -> "null value for cache '" + name() + "'");
        if (loaded.isNotModified()) {
            throw new IllegalArgumentException("cache '" + name() + "': put(key, notModified()) has no value to store");
        }
        if (loaded.asOf() != null) {
            throw new IllegalArgumentException("cache '" + name() + "': put(key, asOf " + loaded.asOf()
                    + ") would be a change, and changes are not compared with others; only a loader's value is");
        }
    }

    /**
     * Stores many values, each as by {@link #put(Object, Object)}, one after another: one round trip for each. A value that the store
     * does not take keeps no other from being stored.
     *
     * @param values the values by their keys
     * @throws StoreException as by {@link #put(Object, Object)}: the first one, after the last value
     * @throws IllegalArgumentException if a key cannot be encoded as text: nothing was stored; or as by {@link #put(Object, Object)},
     *     at once: values that come later in the map were not stored
     */
    public void putAll(Map<? extends K, ? extends V> values) {
        requireNonNull(values, () -> "null values for cache '" + name() + "'");
        Map<K, V> all = new LinkedHashMap<>(values);
        all.values().forEach(value -> requireNonNull(value, () -> "null value for cache '" + name() + "'"));
        checkOpen();
        parts.writePath.putAll(all);
    }

    /**
     * Stores a value like {@link #put(Object, Object)}, between this call and the completion of the future, or never; this call does
     * not block. Changes of one key whose times overlap take effect in any order.
     *
     * <p>The value is stored, and the future completed, on the {@code asyncExecutor} (see {@link
     * StampedeGuardedCacheBuilder#asyncExecutor}), by default at most 32 changes and reads at once. Completing or cancelling the
     * future does not stop the change. {@link #close} waits for it as for a load; what no thread has begun by then is not done.
     *
     * @param key the key
     * @param value the value, not {@code null}
     * @return a new future of {@code null}. It fails with what {@link #put(Object, Object)} throws; with an {@link
     *     OriginBusyException} if the {@code asyncExecutor} rejects the task, and with an {@link IllegalStateException} if the cache is
     *     closed: nothing was changed then
     */
    public CompletableFuture<@Nullable Void> putAsync(K key, V value) {
        requireNonNull(value, () -> "null value for cache '" + name() + "'");
        checkOpen();
        return parts.asyncWrites.begin(
                parts.admission.storeKey(key), () -> parts.writePath.put(key, LoadedValue.of(value)));
    }

    /**
     * Removes a key. A {@code get} that begins after this call has returned never returns a value that was loaded before it, in
     * any process that reaches the store. A load that is running anywhere is not stored. Update the database and commit first.
     *
     * <p>If the store does not answer, the change is queued in this process, and sent as soon as the store answers, before
     * this process reads the key. This call then returns normally, unless the policy has {@code onStoreFailure(THROW)}. From its
     * return on, this process neither serves nor stores an older value. Other processes are served the old value until the change
     * was sent. If this process crashes before, the change is lost, and they are served the old value until its TTL ends.
     *
     * @param key the key
     * @throws StoreException if the store did not answer, and the policy has {@code onStoreFailure(THROW)}: the change is queued; or
     *     changes of 10,000 other keys are queued, or the cache was closed meanwhile: this one is not, and the old value may still be
     *     served
     */
    public void invalidate(K key) {
        checkOpen();
        parts.writePath.invalidate(key);
    }

    /**
     * Removes many keys, each as by {@link #invalidate}. A store on Redis removes 1,000 in a round trip. Each key for which it does not
     * answer is sent once more by itself, and then queued.
     *
     * @param keys the keys; duplicates are removed once
     * @throws StoreException as by {@link #invalidate}: the first one, after the last key
     */
    public void invalidateAll(Collection<? extends K> keys) {
        requireNonNull(keys, () -> "null keys for cache '" + name() + "'");
        checkOpen();
        parts.writePath.invalidateAll(keys);
    }

    /**
     * Removes a key like {@link #invalidate}, whose promise holds from the completion of the future on. Otherwise identical to {@link
     * #putAsync}.
     *
     * @param key the key
     * @return a new future of {@code null}, which fails with what {@link #invalidate} throws, or like that of {@link #putAsync}
     */
    public CompletableFuture<@Nullable Void> invalidateAsync(K key) {
        checkOpen();
        return parts.asyncWrites.begin(parts.admission.storeKey(key), () -> parts.writePath.invalidate(key));
    }

    /**
     * Marks the value of a key as stale: the next {@code get} still returns it, and triggers a reload, unless the policy's {@code
     * originGuard} defers all reloads. A load that is in flight anywhere is not stored. Under a policy that never serves stale
     * values this is {@link #invalidate}, and "the origin has none" is never served stale either: the next {@code get} loads.
     *
     * <p>This declares the value outdated in the whole fleet, near caches included, and loads nothing. {@link #refresh} loads, and
     * declares nothing outdated. To do both, call this method first.
     *
     * <p>If the store does not answer, the change is queued as by {@link #invalidate}, and the next {@code get} in this process
     * loads. In other processes, the value is fresh until the change was sent, or until its soft TTL if this process crashes.
     *
     * @param key the key
     * @throws StoreException as by {@link #invalidate}
     */
    public void expire(K key) {
        checkOpen();
        parts.writePath.expire(key);
    }

    /**
     * Marks the value of a key as stale like {@link #expire}. Otherwise identical to {@link #putAsync}.
     *
     * @param key the key
     * @return a new future of {@code null}, which fails with what {@link #expire} throws, or like that of {@link #putAsync}
     */
    public CompletableFuture<@Nullable Void> expireAsync(K key) {
        checkOpen();
        return parts.asyncWrites.begin(parts.admission.storeKey(key), () -> parts.writePath.expire(key));
    }

    /**
     * Removes all keys, as {@link #invalidate} does each, except that cool-downs after failed loads go on. With a store on Redis this
     * is one command, however many keys there are: what is stored counts as missing from now on, and occupies its memory until its TTL
     * ends. On a cluster, other processes follow within about a second, as long as they reach the master that has the cache's own
     * keys; a {@code put} by one that has not may be lost.
     *
     * <p>If the store does not answer, the change is queued as by {@link #invalidate}, and sent before this process sends any other
     * request for this cache.
     *
     * @throws StoreException as by {@link #invalidate}
     */
    public void invalidateAll() {
        checkOpen();
        parts.writePath.invalidateAll();
    }

    /**
     * Marks the values of all keys as stale, as {@link #expire} does each, and otherwise like {@link #invalidateAll()}. A key is
     * reloaded when it is requested next.
     *
     * @throws StoreException as by {@link #invalidate}
     */
    public void expireAll() {
        checkOpen();
        parts.writePath.expireAll();
    }

    /**
     * Removes all keys like {@link #invalidateAll()}. Otherwise identical to {@link #invalidateAsync}.
     *
     * @return a new future of {@code null}, which fails with what {@link #invalidateAll()} throws, or like that of {@link #putAsync}
     */
    public CompletableFuture<@Nullable Void> invalidateAllAsync() {
        checkOpen();
        return parts.asyncWrites.begin(name(), parts.writePath::invalidateAll);
    }

    /**
     * Marks the values of all keys as stale like {@link #expireAll}. Otherwise identical to {@link #invalidateAsync}.
     *
     * @return a new future of {@code null}, which fails with what {@link #expireAll} throws, or like that of {@link #putAsync}
     */
    public CompletableFuture<@Nullable Void> expireAllAsync() {
        checkOpen();
        return parts.asyncWrites.begin(name(), parts.writePath::expireAll);
    }

    /**
     * Removes all keys whose values have a tag ({@link LoadedValue#tags(String...)}), as {@link #invalidate} does each, except that
     * cool-downs after failed loads go on, and leases as well: the result of a load that began before is neither stored nor returned to
     * later callers if it has the tag, but they have waited for it, and a {@code put} bound to an earlier look-up is refused. With a
     * store on Redis this is one command, however many keys there are. Near caches drop all copies of this cache. On a cluster, other
     * processes follow as after {@link #invalidateAll()}.
     *
     * <p>The tags of the latest 10,000 calls are remembered. Beyond that, values that were loaded before the oldest of them count as
     * removed, whatever their tags.
     *
     * @param tag the tag, of 1 to 64 bytes of UTF-8
     * @throws IllegalArgumentException if the tag is none that a value can have
     * @throws StoreException as by {@link #invalidateAll()}
     */
    public void invalidateTag(String tag) {
        checkOpen();
        parts.writePath.invalidateAll(tag);
    }

    /**
     * Marks the values with a tag as stale, as {@link #expire} does each, and otherwise like {@link #invalidateTag}. A key is reloaded
     * when it is requested next.
     *
     * @param tag the tag, of 1 to 64 bytes of UTF-8
     * @throws IllegalArgumentException if the tag is none that a value can have
     * @throws StoreException as by {@link #invalidateAll()}
     */
    public void expireTag(String tag) {
        checkOpen();
        parts.writePath.expireAll(tag);
    }

    /**
     * Removes all keys whose values have a tag like {@link #invalidateTag}. Otherwise identical to {@link #invalidateAsync}.
     *
     * @param tag the tag, of 1 to 64 bytes of UTF-8
     * @return a new future of {@code null}, which fails with what {@link #invalidateTag} throws, or like that of {@link #putAsync}
     */
    public CompletableFuture<@Nullable Void> invalidateTagAsync(String tag) {
        checkOpen();
        return parts.asyncWrites.begin(name(), () -> parts.writePath.invalidateAll(tag));
    }

    /**
     * Marks the values with a tag as stale like {@link #expireTag}. Otherwise identical to {@link #invalidateAsync}.
     *
     * @param tag the tag, of 1 to 64 bytes of UTF-8
     * @return a new future of {@code null}, which fails with what {@link #expireTag} throws, or like that of {@link #putAsync}
     */
    public CompletableFuture<@Nullable Void> expireTagAsync(String tag) {
        checkOpen();
        return parts.asyncWrites.begin(name(), () -> parts.writePath.expireAll(tag));
    }

    /** {@return the name given to the builder} */
    public String name() {
        return parts.context.name();
    }

    /** {@return the policy in force} */
    public CachePolicy policy() {
        return parts.context.policy();
    }

    /**
     * {@return what this process has counted so far, and the waiting callers and queued changes of now} Does not block. After the
     * cache is closed, the last numbers are returned.
     *
     * @throws IllegalStateException if the builder was not told to {@link StampedeGuardedCacheBuilder#recordStats}
     */
    public CacheStats stats() {
        if (parts.stats == null) {
            throw new IllegalStateException(
                    "cache '" + name() + "' counts nothing: call recordStats() on its builder before build()");
        }
        return parts.stats.snapshot(parts.gauges);
    }

    /**
     * {@return the number of exceptions that were caught without reaching a caller, since the cache was built}
     *
     * @param source the source of the exceptions
     */
    public long faults(FaultSource source) {
        return parts.context.events().faults(source);
    }

    /**
     * {@return the keys, as text, for whose loads, here or in another process, most callers of this process wait, the hottest
     * first, each with the approximate number of recent waits; empty if no caller has waited recently} Recent waits count most: every
     * five minutes all counts are halved. Hits cost nothing, and memory is bounded: about 128 keys are counted. No number is too
     * high; for keys with few waits it may be too low. Does not block.
     *
     * @param most the maximum number of keys, at least 1
     * @throws IllegalArgumentException if it is less than 1
     */
    public Map<String, Long> hotKeys(int most) {
        if (most < 1) {
            throw new IllegalArgumentException("cache '" + name() + "': hotKeys(" + most + ") is less than 1");
        }
        return parts.context.hotKeys().top(most);
    }

    /**
     * {@return a report on a key, for diagnosis; its {@code toString} is suitable for a log} Changes nothing: nothing is loaded,
     * no lease is taken, no answer is counted. If the key filter does not answer, it is left out for as long as after any other
     * request, one second if it is in Redis. Blocks for one round trip to the store, plus the key filter's time. If the store
     * does not answer, the report contains the reason.
     *
     * @param key the key
     */
    public KeyReport explain(K key) {
        checkOpen();
        return parts.keyInspector.inspect(key);
    }

    /** Returns how many entries are being reloaded in the background, or wait for it. */
    int reloading() {
        return parts.refreshQueue.reloading();
    }

    /**
     * Closes the cache. From now on, no load begins, and calls fail with an {@link IllegalStateException}; further calls of this
     * method do nothing. This call waits for the loads that are running, on any thread, each until its {@code loadTimeout} at the
     * latest: their results are stored, and their callers get them; meanwhile their loaders can request other keys on the same
     * thread. It then waits for futures that are not complete. For loads and futures it waits no longer than the {@code
     * loadTimeout}, and after that up to the {@code leaseTtl} until leases are released; the sum should be less than the time that a
     * process has to stop. Interrupt this thread to end the wait: then loaders are interrupted and their leases released, so that
     * other processes can load at once; what they return is not stored. Callers that still wait, for a load, a permit, or another
     * process, and futures that are not complete, fail with an {@link IllegalStateException}; those that wait for another process
     * notice within the longest pause of the policy's {@code poll}.
     *
     * <p>Queued changes are sent once more, even while the store's circuit breaker is open, and those that the store does not
     * answer are lost, which is logged with their number. With an {@code originBudget}, this process is removed from the fleet. All
     * threads of the cache end. The store and the executors that were given to the builder stay open: others may use them.
     *
     * <p>This call does not wait if this thread is interrupted, or if a loader, a listener, or a codec of a cache calls this method:
     * it might wait for itself. A loader of this cache is interrupted as well; its interrupt flag is set when this call returns.
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            try {
                parts.close();
            } finally {
                closeEnded.countDown();
            }
        }
    }

    /** Closes the cache; if another thread is closing it, waits until that has ended, where {@link #close} would wait as well. */
    void closeOrAwaitClose() {
        close();
        if (!isCloseEnded() && !CacheAssembly.isWithinACache()) {
            try {
                parts.context.time().await(closeEnded, Long.MAX_VALUE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    boolean isClosed() {
        return closed.get();
    }

    boolean isCloseEnded() {
        return closeEnded.getCount() == 0;
    }

    /** Returns the name and the policy. */
    @Override
    public String toString() {
        return "StampedeGuardedCache[" + name() + ", " + policy() + "]";
    }

    private void checkOpen() {
        if (closed.get() && !parts.calls.isInLoader()) { // a loader that runs may need other keys to end
            throw new IllegalStateException("cache '" + name() + "' is closed");
        }
    }
}
