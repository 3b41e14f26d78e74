package io.stampedeguard;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.KeyText;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.filter.KeyFilter;
import io.stampedeguard.internal.thread.AsyncThreads;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Collects the parts of a cache, checks them once, and builds it. <em>Not thread-safe.</em>
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class StampedeGuardedCacheBuilder<K, V> {
    /** No colon: it ends the name in stored keys, so that two caches never share one. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    final String name;
    private @Nullable SharedStore store;
    private @Nullable ValueCodec<V> codec;

    @Nullable
    Loader<? super K, ? extends V> loader;

    @Nullable
    Executor loaderExecutor;

    private @Nullable Executor asyncExecutor;
    private boolean onPlatformThreads;

    @Nullable
    NearCacheOptions nearCache;

    @Nullable
    Predicate<? super K> keyValidator;

    @Nullable
    KeyFilter<K> keyFilter;

    CachePolicy policy = CachePolicy.defaults();
    KeyText<? super K> keyEncoder = KeyText.<K>standard();
    final List<CacheListener> listeners = new ArrayList<>();
    TimeSource time = TimeSource.system();
    DoubleSupplier draws = () -> ThreadLocalRandom.current().nextDouble();

    StampedeGuardedCacheBuilder(String name) {
        this.name = requireNonNull(name, "name");
    }

    /**
     * Sets the store that the fleet shares. Required.
     *
     * @param sharedStore the store; not closed with the cache
     * @return this
     */
    public StampedeGuardedCacheBuilder<K, V> store(SharedStore sharedStore) {
        store = requireNonNull(sharedStore, "store");
        return this;
    }

    /**
     * Sets how values become bytes. Required.
     *
     * @param valueCodec the codec, the same in all processes
     * @return this
     */
    public StampedeGuardedCacheBuilder<K, V> codec(ValueCodec<V> valueCodec) {
        codec = requireNonNull(valueCodec, "codec");
        return this;
    }

    /**
     * Sets how long entries live and callers wait. Default: {@link CachePolicy#defaults()}.
     *
     * @param cachePolicy the policy
     * @return this
     */
    public StampedeGuardedCacheBuilder<K, V> policy(CachePolicy cachePolicy) {
        policy = requireNonNull(cachePolicy, "policy");
        return this;
    }

    /**
     * Sets how keys are encoded as text. Default: {@link KeyText#standard()}.
     *
     * @param text the function, the same in all processes
     * @return this
     */
    public StampedeGuardedCacheBuilder<K, V> keyEncoder(KeyText<? super K> text) {
        keyEncoder = requireNonNull(text, "keyEncoder");
        return this;
    }

    /**
     * Sets the loader for {@link StampedeGuardedCache#get(Object)}. Default: none.
     *
     * @param defaultLoader the loader
     * @return this
     */
    public StampedeGuardedCacheBuilder<K, V> loader(Loader<? super K, ? extends V> defaultLoader) {
        loader = requireNonNull(defaultLoader, "loader");
        return this;
    }

    /**
     * Sets where loaders run. Default: on the thread of the caller that leads, so that what is bound to it (transactions,
     * security, logging contexts) keeps working. On an executor, that caller too is answered at the {@code loadTimeout}
     * when the loader ignores its interrupt.
     *
     * @param executor with room for {@code maxConcurrentLoads}; what it rejects ends in an {@link OriginBusyException};
     *     not closed with the cache
     * @return this
     */
    public StampedeGuardedCacheBuilder<K, V> loaderExecutor(Executor executor) {
        loaderExecutor = requireNonNull(executor, "loaderExecutor");
        return this;
    }

    /**
     * Sets where {@link StampedeGuardedCache#getAsync} reads the store, leads loads and completes futures. Default: on virtual
     * threads where the JVM has them (JDK 21 and later); else on daemon threads, at most 32 for what is short and twice
     * {@code maxConcurrentLoads} for what leads a load or waits for another process. In either case at most 32 read the
     * store at once, and who waits for a load in this process holds no thread.
     *
     * @param executor with a thread for each load that it may lead at once, and for each that waits for another process; what it
     *     rejects ends in an {@link OriginBusyException}. It must not run tasks on the thread that brings them: that may be
     *     anybody's, and what runs blocks. Not closed with the cache
     * @return this
     */
    public StampedeGuardedCacheBuilder<K, V> asyncExecutor(Executor executor) {
        asyncExecutor = requireNonNull(executor, "asyncExecutor");
        return this;
    }

    /** Does without virtual threads, for tests of what is done where there are none. */
    StampedeGuardedCacheBuilder<K, V> onPlatformThreads() {
        onPlatformThreads = true;
        return this;
    }

    /**
     * Keeps entries in the process as well, so that keys in use cost no round trip. What is put, invalidated or expired
     * anywhere in the fleet leaves it at once, and at the latest after {@link NearCacheOptions#maxStaleness}. Default:
     * none.
     *
     * @param options how large it is, and how old its answers may be
     * @return this
     */
    public StampedeGuardedCacheBuilder<K, V> nearCache(NearCacheOptions options) {
        nearCache = requireNonNull(options, "nearCache");
        return this;
    }

    /**
     * Sets which keys are syntactically valid, for example positive numbers. All others are absent at once, for {@code get},
     * {@code getAsync} and {@code getAll}; neither the store nor the origin is asked. Default: all.
     *
     * @param valid quick, without I/O, thread-safe, and the same in all processes; where it throws, the key counts as valid
     * @return this
     */
    public StampedeGuardedCacheBuilder<K, V> keyValidator(Predicate<? super K> valid) {
        keyValidator = requireNonNull(valid, "keyValidator");
        return this;
    }

    /**
     * Sets the filter of the existing keys. Other keys are absent at once: neither the store nor the origin is asked. Each new key
     * must be added to it: see {@link KeyFilter}, and {@link StampedeGuardedCache#keyCreated}. Default: none.
     *
     * @param filter the filter; not closed with the cache
     * @return this
     */
    public StampedeGuardedCacheBuilder<K, V> keyFilter(KeyFilter<K> filter) {
        keyFilter = requireNonNull(filter, "keyFilter");
        return this;
    }

    /**
     * Adds a listener for the events of the cache; listeners are called in the order in which they were added. Default: none.
     *
     * @param cacheListener the listener
     * @return this
     */
    public StampedeGuardedCacheBuilder<K, V> listener(CacheListener cacheListener) {
        listeners.add(requireNonNull(cacheListener, "listener"));
        return this;
    }

    /**
     * Sets the clock, for tests that turn time by hand. Default: the machine's.
     *
     * @param timeSource the clock
     * @return this
     */
    public StampedeGuardedCacheBuilder<K, V> timeSource(TimeSource timeSource) {
        time = requireNonNull(timeSource, "timeSource");
        return this;
    }

    /**
     * Sets where jitter comes from, for tests that repeat a run. Default: the thread's random numbers.
     *
     * @param evenDraws thread-safe; each call draws evenly from 0 (with it) to 1 (without it)
     * @return this
     */
    public StampedeGuardedCacheBuilder<K, V> randomSource(DoubleSupplier evenDraws) {
        draws = requireNonNull(evenDraws, "randomSource");
        return this;
    }

    /**
     * Checks the parts and builds the cache. If a cache of this name with another policy or codec is open in this process, the
     * difference is logged as a warning.
     *
     * @return a new cache
     * @throws IllegalArgumentException if the name is not 1 to 64 letters, digits, dots, hyphens and underscores, or if a required
     *     part is missing; the message names the cache
     */
    public StampedeGuardedCache<K, V> build() {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("cache name " + KeyText.shown(name)
                    + " is not 1 to 64 letters, digits, dots, hyphens and underscores");
        }
        SharedStore sharedStore = required("store", store);
        ValueCodec<V> valueCodec = required("codec", codec);
        return new StampedeGuardedCache<>(new CacheAssembly<>(this, sharedStore, valueCodec));
    }

    AsyncThreads asyncThreads() {
        if (asyncExecutor != null) {
            return AsyncThreads.on(asyncExecutor, name);
        }
        return onPlatformThreads
                ? AsyncThreads.onPlatformThreads(name, policy.maxConcurrentLoads())
                : AsyncThreads.ownOf(name, policy.maxConcurrentLoads());
    }

    private <T> T required(String part, @Nullable T given) {
        if (given == null) {
            throw new IllegalArgumentException("cache '" + name + "' needs a " + part + "(...)");
        }
        return given;
    }
}
