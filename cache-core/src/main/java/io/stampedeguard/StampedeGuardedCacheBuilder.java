package io.stampedeguard;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.filter.KeyFilter;
import io.stampedeguard.internal.failure.RequiredJar;
import io.stampedeguard.internal.spi.ChangeMemory;
import io.stampedeguard.internal.spi.FleetMembers;
import io.stampedeguard.internal.thread.AsyncThreads;
import io.stampedeguard.loader.ContextCarrier;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The builder of a cache: collects its parts and checks them once. <em>Not thread-safe.</em>
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class StampedeGuardedCacheBuilder<K, V> {
    /** Without colons: a colon ends the name in stored keys, so that two caches never share a key. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    final String name;

    @Nullable
    CacheStore store;

    private @Nullable ValueCodec<V> codec;

    @Nullable
    Loader<? super K, ? extends V> loader;

    @Nullable
    Executor loaderExecutor;

    @Nullable
    ContextCarrier contextCarrier;

    private @Nullable Executor asyncExecutor;
    private boolean onPlatformThreads;

    @Nullable
    NearCacheOptions nearCache;

    @Nullable
    Predicate<? super K> keyValidator;

    @Nullable
    KeyFilter<K> keyFilter;

    private @Nullable GuardedCaches caches;

    /** The type of the keys, if it has no standard text, and until there is an encoder. */
    private @Nullable Class<?> typeWithoutText;

    boolean recordsStats;
    CachePolicy policy = CachePolicy.defaults();
    KeyEncoder<? super K> keyEncoder = KeyEncoder.<K>standard();
    final List<CacheListener> listeners = new ArrayList<>();
    TimeSource time = TimeSource.system();

    StampedeGuardedCacheBuilder(String name) {
        this.name = requireNonNull(name, "name");
    }

    /**
     * Sets the store that the fleet shares. Required.
     *
     * @param cacheStore the store; not closed with the cache
     * @return this
     */
    public StampedeGuardedCacheBuilder<K, V> store(CacheStore cacheStore) {
        store = requireNonNull(cacheStore, "store");
        return this;
    }

    /**
     * Sets how values are encoded as bytes. Required.
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
     * Sets how keys are encoded as text. Default: {@link KeyEncoder#standard()}.
     *
     * @param text the function, the same in all processes
     * @return this
     */
    public StampedeGuardedCacheBuilder<K, V> keyEncoder(KeyEncoder<? super K> text) {
        keyEncoder = requireNonNull(text, "keyEncoder");
        typeWithoutText = null;
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
     * Sets the executor of loaders. Default: the thread of the leading caller, so that thread-bound contexts (transactions,
     * security, logging) keep working. With an executor, that caller, too, gets its answer at the {@code loadTimeout} if the
     * loader ignores its interrupt.
     *
     * <p>Caches may share an executor. A loader on it that requests keys of such a cache, on its own thread, runs their loaders on
     * that thread too, because it would otherwise wait for a second one. For the same reason, a loader that no thread of the
     * executor has begun within 50 ms runs on the thread of the leading caller, or of the reload in the background: that thread may
     * be one of the executor, which callers, the {@link #asyncExecutor}, and other caches may therefore share. If {@code execute}
     * itself blocks for so long, it is interrupted.
     *
     * <p>An {@link io.stampedeguard.loader.AsyncLoader} does not block, and is called on a thread of the cache instead, which waits
     * for its stage.
     *
     * @param executor an executor with room for {@code maxConcurrentLoads} tasks of each cache; a rejected task ends in an {@link
     *     OriginBusyException}, and is no failure of the loader; not closed with the cache
     * @return this
     */
    public StampedeGuardedCacheBuilder<K, V> loaderExecutor(Executor executor) {
        loaderExecutor = requireNonNull(executor, "loaderExecutor");
        return this;
    }

    /**
     * Sets the executor on which {@link StampedeGuardedCache#getAsync} reads the store and completes futures, however a call ends;
     * if it is late by 50 ms at the end of a call's time, or rejects that task, a thread of its own completes the future. Loads are
     * led, and other processes waited for, on threads of the cache in any case, so the stages of loaders may run on this executor.
     * Asynchronous changes, such as {@link StampedeGuardedCache#putAsync}, run on it as well.
     * Default: virtual threads if the JVM has them (JDK 21 and later); otherwise daemon threads, at most 32 for short tasks and
     * twice {@code maxConcurrentLoads} for those that lead a load or wait for another process. In either case at most 32 read
     * the store at once, and waiting for a load in this process does not block a thread.
     *
     * @param executor an executor for short tasks; a rejected task ends in an {@link OriginBusyException}. It must neither be a
     *     caller-runs executor nor block its submitters: the submitting thread may be any thread. Not closed with the cache
     * @return this
     */
    public StampedeGuardedCacheBuilder<K, V> asyncExecutor(Executor executor) {
        asyncExecutor = requireNonNull(executor, "asyncExecutor");
        return this;
    }

    /**
     * Sets how the context of a caller, such as its logging context or span, reaches a loader on another thread: in the background,
     * for asynchronous calls, and on the {@link #loaderExecutor}. Default: not at all.
     *
     * @param carrier the carrier; see there whose context a load has
     * @return this
     */
    public StampedeGuardedCacheBuilder<K, V> contextCarrier(ContextCarrier carrier) {
        contextCarrier = requireNonNull(carrier, "contextCarrier");
        return this;
    }

    /** Makes the cache one of several, with keys of a type. */
    StampedeGuardedCacheBuilder<K, V> in(GuardedCaches owner, Class<?> keyType) {
        caches = owner;
        typeWithoutText = KeyEncoder.isStandard(keyType) ? null : keyType;
        return this;
    }

    /** Disables virtual threads, for tests of JVMs without them. */
    StampedeGuardedCacheBuilder<K, V> onPlatformThreads() {
        onPlatformThreads = true;
        return this;
    }

    /**
     * Sets the near cache: entries are also kept in this process, so that frequently used keys need no round trip. An entry
     * that is put, invalidated, or expired anywhere in the fleet is removed from it at once, and at the latest after {@link
     * NearCacheOptions#maxStaleness}. Default: none.
     *
     * @param options its size, and the maximum age of its answers
     * @return this
     */
    public StampedeGuardedCacheBuilder<K, V> nearCache(NearCacheOptions options) {
        nearCache = requireNonNull(options, "nearCache");
        return this;
    }

    /**
     * Sets which keys are syntactically valid, for example positive numbers. All other keys are absent at once, for {@code
     * get}, {@code getAsync}, and {@code getAll}; neither the store nor the origin is asked. Default: all keys are valid.
     *
     * @param valid fast, without I/O, thread-safe, and the same in all processes; if it throws, the key counts as valid
     * @return this
     */
    public StampedeGuardedCacheBuilder<K, V> keyValidator(Predicate<? super K> valid) {
        keyValidator = requireNonNull(valid, "keyValidator");
        return this;
    }

    /**
     * Sets the filter of the existing keys. Other keys are absent at once: neither the store nor the origin is asked. Each new
     * key must be added to it; see {@link KeyFilter} and {@link StampedeGuardedCache#keyCreated}. Default: none.
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
     * Counts answers and loads for {@link StampedeGuardedCache#stats}. Each answer then costs the increment of a counter, a near hit
     * included; nothing is allocated for it. Default: nothing is counted.
     *
     * @return this
     */
    public StampedeGuardedCacheBuilder<K, V> recordStats() {
        recordsStats = true;
        return this;
    }

    /**
     * Sets the clock, for tests that control time. Default: the machine's clock.
     *
     * @param timeSource the clock
     * @return this
     */
    public StampedeGuardedCacheBuilder<K, V> timeSource(TimeSource timeSource) {
        time = requireNonNull(timeSource, "timeSource");
        return this;
    }

    /**
     * Checks the parts and builds the cache. Warns if a cache of this name with another policy or codec is open in this process.
     *
     * @return a new cache
     * @throws IllegalArgumentException if the name is not 1 to 64 letters, digits, dots, hyphens, and underscores, if a required
     *     part is missing, for some keys of {@link GuardedCaches} the {@code keyEncoder} as well, or if the policy has an {@code originBudget} and the store cannot count the processes of the
     *     fleet; the message names the cache
     * @throws IllegalStateException if the jar of Caffeine is missing; or if {@link GuardedCaches} that created this builder are
     *     closed, or have an open cache of this name
     */
    public StampedeGuardedCache<K, V> build() {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("cache name " + KeyEncoder.shown(name)
                    + " is not 1 to 64 letters, digits, dots, hyphens and underscores");
        }
        RequiredJar.check(
                StampedeGuardedCacheBuilder.class,
                "a cache",
                "com.github.benmanes.caffeine.cache.Caffeine",
                "com.github.ben-manes.caffeine:caffeine");
        CacheStore cacheStore = required("store", store);
        ValueCodec<V> valueCodec = required("codec", codec);
        checkIdentities(valueCodec);
        if (policy.originBudget() != null && cacheStore.shared().ability(FleetMembers.class) == null) {
            throw new IllegalArgumentException("cache '" + name + "' has originBudget " + policy.originBudget()
                    + ", but its store cannot count the processes of the fleet: "
                    + cacheStore.getClass().getName() + " has no FleetMembers");
        }
        if (!policy.changeMemory().isZero() && cacheStore.shared().ability(ChangeMemory.class) == null) {
            throw new IllegalArgumentException("cache '" + name + "' has changeMemory " + policy.changeMemory()
                    + ", but its store cannot remember changes: "
                    + cacheStore.getClass().getName() + " has no ChangeMemory");
        }
        if (typeWithoutText != null) {
            throw new IllegalArgumentException("cache '" + name + "' needs a keyEncoder(...): keys of type "
                    + typeWithoutText.getName() + " have no standard text");
        }
        Supplier<StampedeGuardedCache<K, V>> create =
                () -> new StampedeGuardedCache<>(new CacheAssembly<>(this, cacheStore, valueCodec));
        return caches == null ? create.get() : caches.add(name, policy, create);
    }

    /** Refuses a codec whose callbacks return {@code null}, or others without an identity: nothing of the cache is open yet. */
    private void checkIdentities(ValueCodec<V> valueCodec) {
        requireIdentity(valueCodec);
        List<ValueCodec<V>> others = valueCodec.alsoReads();
        if (others == null || others.stream().anyMatch(Objects::isNull)) {
            throw new IllegalArgumentException("cache '" + name + "' needs a codec that also reads a list of codecs: "
                    + valueCodec.getClass().getName() + ".alsoReads() returned " + others);
        }
        others.forEach(this::requireIdentity);
    }

    private void requireIdentity(ValueCodec<V> valueCodec) {
        if (valueCodec.identity() == null) { // user callback
            throw new IllegalArgumentException("cache '" + name + "' needs a codec with an identity: "
                    + valueCodec.getClass().getName() + ".identity() returned null");
        }
    }

    AsyncThreads asyncThreads() {
        if (asyncExecutor != null) {
            return AsyncThreads.on(asyncExecutor, name, policy.maxConcurrentLoads());
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
