package io.stampedeguard.spring.internal.call;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.loader.AdaptiveAsyncLoader;
import io.stampedeguard.loader.AdaptiveLoader;
import io.stampedeguard.loader.BulkLoader;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.LookupResult;
import io.stampedeguard.loader.LookupResult.Fence;
import io.stampedeguard.loader.LookupResult.State;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.spring.StampedeTag;
import io.stampedeguard.spring.internal.key.KeyTexts;
import io.stampedeguard.spring.internal.key.KeyUses;
import io.stampedeguard.spring.internal.transaction.Access;
import io.stampedeguard.spring.internal.transaction.Change;
import io.stampedeguard.spring.internal.transaction.Transactions;
import io.stampedeguard.spring.internal.value.DeclaredValue;
import io.stampedeguard.spring.internal.value.TypedValue;
import io.stampedeguard.spring.internal.value.ValueTypes;
import io.stampedeguard.time.TimeSource;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A Spring cache on a guarded cache: keys become texts, values get their declared types, and calls in transactions are treated as the
 * options say. What it throws is what the method has thrown, or an exception of the library that names the property to change.
 * <em>Thread-safe.</em>
 */
public final class GuardedCache {
    /** How old a value may be that replaces an older one of another type: then what others load meanwhile is an answer. */
    private static final Duration JUST_NOW = Duration.ofMillis(1);

    /** How results are stored, by their contents. */
    @FunctionalInterface
    public interface ValueRule {
        /** Returns how a result is stored. */
        LoadedValue<Object> apply(Object key, LoadedValue<Object> loaded);
    }

    private final String name;
    private final StampedeGuardedCache<String, TypedValue> core;
    private final ValueTypes values;
    private final Collection<DeclaredValue> declared = ConcurrentHashMap.newKeySet();
    private final KeyTexts keys;
    private final KeyUses keyUses;
    private final Transactions transactions;
    private final ValueRule rule;
    private final Changes changes;
    private final CallerInvocation carrier;
    private final Failures failures;
    private final CallAdvice advice;
    private final ManyKeys manyKeys;
    private final TimeSource time = TimeSource.system();
    private final AtomicLong lastNanos = new AtomicLong();

    public GuardedCache(
            String name,
            StampedeGuardedCache<String, TypedValue> core,
            ValueTypes values,
            KeyTexts keys,
            KeyUses keyUses,
            Transactions transactions,
            ValueRule rule,
            Changes changes,
            CallerInvocation carrier) {
        this.name = name;
        this.core = core;
        this.values = values;
        this.keys = keys;
        this.keyUses = keyUses;
        this.transactions = transactions;
        this.rule = rule;
        this.changes = changes;
        this.carrier = carrier;
        this.advice = new CallAdvice(name);
        this.manyKeys = new ManyKeys(this, transactions);
        this.failures = new Failures(name, core.policy(), lastNanos);
    }

    public String name() {
        return name;
    }

    public StampedeGuardedCache<String, TypedValue> core() {
        return core;
    }

    CallerInvocation carrier() {
        return carrier;
    }

    /** Declares a type of values that this cache may have; returns it. */
    public DeclaredValue declare(Type type, @Nullable Method method) {
        DeclaredValue value = values.declare(type, method);
        declared.add(value);
        return value;
    }

    /** Notes that a key was read, or changed, by a method: keys of another type never match it. */
    void noteKey(Object key, String where, boolean isRead) {
        if (isRead) {
            keyUses.read(key, where);
        } else {
            keyUses.changed(key, where);
        }
    }

    /** Returns the text of a key. */
    public String textOf(Object key, @Nullable String where) {
        return keys.of(key, where);
    }

    /** Returns the value of a key; calls {@code method} if there is none, at most once, unless another caller does. */
    @Nullable
    Object get(Object key, OnceOnly<?> method, Loading loading) throws Exception {
        DeclaredValue expected = loading.expectedIn(this);
        String text = keys.of(key, loading.where());
        Access access = transactions.access(name, text);
        if (!access.mayLookUp()) {
            return method.call();
        }
        changes.awaitThoseOfThisProcess();
        if (!mayStore(access)) {
            LookupResult<TypedValue> found = core.lookup(text);
            if (!isAnswer(found, expected)) {
                transactions.notStored();
                return method.call();
            }
            return valueOf(found.value());
        }
        AdaptiveLoader<String, TypedValue> loader = (same, previous) -> load(key, text, method, loading);
        Duration maxWait = access.maxWait();
        TypedValue found;
        try {
            found = maxWait == null ? core.get(text, loader) : core.get(text, loader, maxWait);
            if (!isOf(found, expected)) {
                advice.onType(key, loading.where());
                if (maxWait != null) {
                    return replaced(key, text, method, loading);
                }
                found = core.getNotOlderThan(text, JUST_NOW, loader);
                found = isOf(found, expected) ? found : core.getNotOlderThan(text, Duration.ZERO, loader);
            }
        } catch (WaitTimeoutException | OriginBusyException e) {
            if (maxWait == null) {
                throw failures.translated(e, key);
            }
            advice.onWait(maxWait, loading.where());
            return method.call();
        } catch (RuntimeException e) {
            throw failures.translated(e, key);
        }
        return isOf(found, expected) ? valueOf(found) : method.call(); // two types take turns
    }

    /** Calls the method, and stores its result in place of what the key has, without a wait for others that do the same. */
    private @Nullable Object replaced(Object key, String text, OnceOnly<?> method, Loading loading) throws Exception {
        Fence fence = core.lookup(text).fence();
        boolean isFirst = method.begin();
        Object value = method.call();
        if (isFirst) {
            put(key, value, loading, fence);
        }
        return value;
    }

    static boolean isAnswer(LookupResult<TypedValue> found, @Nullable DeclaredValue expected) {
        return found.state() != State.NOTHING && isOf(found.value(), expected);
    }

    /** Returns whether a value that was found is of the caller's type; otherwise it is none. */
    static boolean isOf(@Nullable TypedValue found, @Nullable DeclaredValue expected) {
        return found == null || expected == null || found.isOf(expected);
    }

    /**
     * Calls the method on the thread of its caller, in whose transaction it then runs; or on another thread, without one. What it has
     * returned before this load began may be older than a change that precedes this load, and is not stored.
     */
    private LoadedValue<TypedValue> load(Object key, String text, OnceOnly<?> method, Loading loading)
            throws Exception {
        boolean isFirst = method.begin();
        Instant begin = transactions.access(name, text).snapshotBegin();
        transactions.loaded(name, text, () -> core.invalidate(text));
        long began = time.monotonicNanos();
        Object value = method.call();
        lastNanos.set(time.monotonicNanos() - began);
        LoadedValue<TypedValue> loaded = isFirst ? toStore(key, value, loading) : unstored(value, loading);
        return begin == null || !loaded.isCached() ? loaded : loaded.asOf(begin);
    }

    /** Returns whether what a caller loads is stored: not if a change of its snapshot's time is forgotten already. */
    private boolean mayStore(Access access) {
        return access.mayStore()
                && (access.snapshotBegin() == null
                        || !core.policy().changeMemory().isZero());
    }

    /**
     * Returns a future of the value of a key, like {@link #get}. Does not block, except in a transaction of this thread: there, the
     * method begins on this thread if there is no value, and its result is not stored.
     */
    @SuppressWarnings({"FutureReturnValueIgnored", "CatchingUnchecked"
    }) // of some that only pass on how another one ends
    CompletableFuture<@Nullable Object> getAsync(
            Object key, OnceOnly<? extends CompletableFuture<? extends @Nullable Object>> method, Loading loading)
            throws Exception {
        DeclaredValue expected = loading.expectedIn(this);
        String text = keys.of(key, loading.where());
        Access access = transactions.access(name, text);
        if (!access.mayLookUp()) {
            return OnceOnly.begun(method);
        }
        if (access.isInTransaction()) { // a load elsewhere may need a connection, and whoever waits for it holds one
            changes.awaitThoseOfThisProcess();
            LookupResult<TypedValue> found = core.lookup(text);
            return isAnswer(found, expected)
                    ? CompletableFuture.completedFuture(valueOf(found.value()))
                    : OnceOnly.begun(method);
        }
        AdaptiveAsyncLoader<String, TypedValue> loader = (same, previous) -> {
            boolean isFirst = method.begin();
            long began = time.monotonicNanos();
            CompletableFuture<@Nullable Object> value = OnceOnly.begun(method);
            CompletableFuture<LoadedValue<TypedValue>> loaded = value.thenApply(result -> {
                lastNanos.set(time.monotonicNanos() - began);
                return isFirst ? toStore(key, result, loading) : unstored(result, loading);
            });
            loaded.whenComplete((result, failure) -> {
                if (loaded.isCancelled()) {
                    value.cancel(true); // the time of the load is over
                }
            });
            return loaded;
        };
        CompletableFuture<@Nullable TypedValue> found = changes.<@Nullable TypedValue>afterThoseOfThisProcess(
                        () -> core.getAsync(text, loader))
                .<@Nullable TypedValue>thenCompose(value -> {
                    if (isOf(value, expected)) {
                        return CompletableFuture.completedFuture(value);
                    }
                    advice.onType(key, loading.where());
                    return core.getNotOlderThanAsync(text, JUST_NOW, loader);
                })
                .<@Nullable TypedValue>thenCompose(value -> isOf(value, expected)
                        ? CompletableFuture.completedFuture(value)
                        : core.getNotOlderThanAsync(text, Duration.ZERO, loader));
        CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
        found.whenComplete((value, failure) -> {
            try {
                if (failure != null) {
                    OnceOnly.complete(answer, null, failures.ofFuture(failure, key));
                } else if (isOf(value, expected)) {
                    answer.complete(valueOf(value));
                } else { // two types take turns
                    OnceOnly.begun(method).whenComplete((result, thrown) -> OnceOnly.complete(answer, result, thrown));
                }
            } catch (Throwable e) { // also an Error of the method, or what a key's toString throws
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    /** Returns what is stored for a key, with a fence for {@link #put(Object, Object, Loading, Fence)}; nothing if it has been changed here. */
    LookupResult<TypedValue> lookup(Object key, Loading loading) {
        loading.expectedIn(this); // declares it
        String text = keys.of(key, loading.where());
        if (!transactions.access(name, text).mayLookUp()) {
            return Unstored.NOTHING;
        }
        changes.awaitThoseOfThisProcess();
        return core.lookup(text);
    }

    /** Returns a future of what {@link #lookup} returns. Does not block. */
    CompletableFuture<LookupResult<TypedValue>> lookupAsync(Object key, Loading loading) {
        loading.expectedIn(this);
        String text = keys.of(key, loading.where());
        return transactions.access(name, text).mayLookUp()
                ? changes.afterThoseOfThisProcess(() -> core.lookupAsync(text))
                : CompletableFuture.completedFuture(Unstored.NOTHING);
    }

    /**
     * Stores what was computed after a look-up, unless the key was changed since; returns whether it was stored. What a transaction has
     * read in a snapshot is not: the look-up may have come after the snapshot.
     */
    boolean put(Object key, @Nullable Object value, Loading loading, Fence fence) {
        String text = keys.of(key, loading.where());
        Access access = transactions.access(name, text);
        if (fence instanceof Unstored || !access.mayStore() || access.snapshotBegin() != null) {
            transactions.notStored();
            return false;
        }
        transactions.loaded(name, text, () -> core.invalidate(text));
        LoadedValue<TypedValue> loaded = toStore(key, value, loading);
        return changes.call(core, () -> tryToPut(text, loaded, fence, loading.where()));
    }

    /**
     * Stores a value, as a change. After a commit, unless the key was changed since: another transaction may have committed, and stored
     * its value, in between. Then the key is removed.
     */
    void put(Object key, @Nullable Object value, Loading loading) {
        put(keys.of(key, loading.where()), toStore(key, value, loading), loading.where());
    }

    /** Stores a value with TTLs and tags of its own, as a change. */
    void put(Object key, LoadedValue<?> loaded, Loading loading) {
        put(keys.of(key, loading.where()), typed(loaded, loading), loading.where());
    }

    /** Returns the values of many keys, and loads those that have none. */
    <K, V> Map<K, TypedValue> getAll(Map<String, K> byText, BulkLoader<K, V> loader, Loading loading) {
        changes.awaitThoseOfThisProcess();
        return manyKeys.getAll(byText, loader, loading);
    }

    private void put(String text, LoadedValue<TypedValue> loaded, @Nullable String where) {
        Fence fence = transactions.access(name, text).isInTransaction()
                ? core.lookup(text).fence()
                : null;
        change(Change.put(text, () -> core.invalidate(text)), () -> {
            if (!tryToPut(text, loaded, fence, where)) {
                core.invalidate(text);
            }
        });
    }

    /** Returns false if the fence does not hold, or the value cannot be stored, which fails no caller: what is there is older. */
    private boolean tryToPut(
            String text, LoadedValue<TypedValue> loaded, @Nullable Fence fence, @Nullable String where) {
        try {
            if (fence == null) {
                core.put(text, loaded);
            }
            return fence == null || core.put(text, loaded, fence);
        } catch (IllegalArgumentException e) {
            advice.onValue(e, where);
            return false;
        }
    }

    /** Removes a key, or what has a tag. */
    void evict(Object key, @Nullable String where) {
        remove(key, where, this::change);
    }

    /** Removes a key, or what has a tag, at once, and in a transaction once more after the commit. */
    void evictNow(Object key, @Nullable String where) {
        remove(key, where, this::changeNow);
    }

    private void remove(Object key, @Nullable String where, BiConsumer<Change, Runnable> how) {
        if (key instanceof StampedeTag tag) {
            how.accept(Change.ofAll(), () -> core.invalidateTag(tag.name()));
        } else {
            String text = keys.of(key, where);
            how.accept(Change.ofKey(text), () -> core.invalidate(text));
        }
    }

    /** Removes all keys. */
    void clear() {
        change(Change.ofAll(), core::invalidateAll);
    }

    /** Removes all keys at once, and in a transaction once more after the commit. */
    void clearNow() {
        changeNow(Change.ofAll(), core::invalidateAll);
    }

    /** Makes a change of a key, {@code null} for one of many keys, when the transaction permits it. */
    void change(@Nullable String text, Consumer<StampedeGuardedCache<String, TypedValue>> change) {
        change(text == null ? Change.ofAll() : Change.ofKey(text), () -> change.accept(core));
    }

    private void change(Change what, Runnable change) {
        transactions.change(name, orClear(what), () -> changes.run(core, change));
    }

    private void changeNow(Change what, Runnable change) {
        transactions.changeNow(name, orClear(what), () -> changes.run(core, change));
    }

    private Change orClear(Change what) {
        return what.orClear(() -> changes.run(core, core::invalidateAll));
    }

    private LoadedValue<TypedValue> toStore(Object key, @Nullable Object value, Loading loading) {
        return loading.mayStore(value)
                ? typed(rule.apply(key, LoadedValue.of(value).tags(loading.tags(value))), loading)
                : unstored(value, loading);
    }

    private LoadedValue<TypedValue> unstored(@Nullable Object value, Loading loading) {
        return typed(LoadedValue.of(value), loading).doNotCache();
    }

    /** Returns a result with its declared type. */
    private LoadedValue<TypedValue> typed(LoadedValue<?> loaded, Loading loading) {
        Object value = loaded.value();
        LoadedValue<TypedValue> typed =
                LoadedValue.of(value == null ? null : new TypedValue(typeOf(value, loading), value));
        Duration softTtl = loaded.softTtl();
        Duration hardTtl = loaded.hardTtl();
        typed = softTtl == null ? typed : typed.softTtl(softTtl);
        typed = hardTtl == null ? typed : typed.hardTtl(hardTtl);
        typed = typed.tags(loaded.tags().toArray(String[]::new));
        return loaded.isCached() ? typed : typed.doNotCache();
    }

    DeclaredValue typeOf(Object value, Loading loading) {
        DeclaredValue expected = loading.expectedIn(this);
        return expected == null ? values.declareFor(value, declared) : expected;
    }

    static @Nullable Object valueOf(@Nullable TypedValue found) {
        return found == null ? null : found.value();
    }

    /** What a look-up returns that must not be followed by a put. */
    private static final class Unstored implements Fence {
        static final Fence FENCE = new Unstored();
        static final LookupResult<TypedValue> NOTHING = new LookupResult<>(State.NOTHING, null, false, FENCE);
    }
}
