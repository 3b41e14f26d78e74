package io.stampedeguard.spring.internal.call;

import io.stampedeguard.loader.LookupResult;
import io.stampedeguard.loader.LookupResult.Fence;
import io.stampedeguard.loader.LookupResult.State;
import io.stampedeguard.spring.internal.call.CallSites.SiteContext;
import io.stampedeguard.spring.internal.value.DeclaredValue;
import io.stampedeguard.spring.internal.value.TypedValue;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.Cache;
import org.springframework.cache.interceptor.CacheOperationInvocationContext;
import org.springframework.cache.interceptor.CacheOperationInvoker.ThrowableWrapper;
import org.springframework.cache.interceptor.CacheableOperation;
import org.springframework.cache.support.SimpleValueWrapper;

/**
 * The caches of one annotation, as one invocation of its method sees them. Of several, the first one is asked first, and the method is
 * the last one; each of them stores what those after it return. Belongs to one invocation, whose result may come on another thread.
 */
final class SiteCall implements Cache, Loading {
    private final CallSites sites;
    private final Site site;
    private final List<? extends Cache> caches;
    private final CacheOperationInvocationContext<?> context;

    /** Whether the caller is a subscriber with a reactive transaction, which a load for others must not join. */
    private final boolean isInTransaction = CallSites.isInTransaction();

    /** The fence of a look-up that has found nothing; Spring puts after it, on whatever thread. */
    private volatile @Nullable Fence fence;

    SiteCall(CallSites sites, Site site, List<? extends Cache> caches, CacheOperationInvocationContext<?> context) {
        this.sites = sites;
        this.site = site;
        this.caches = caches;
        this.context = context;
    }

    @Override
    public String getName() {
        return caches.get(0).getName();
    }

    @Override
    public Object getNativeCache() {
        return caches.get(0).getNativeCache();
    }

    /** Returns whether one of the caches is a guarded one. */
    boolean isGuarded() {
        return caches.stream().anyMatch(cache -> sites.guarded(cache) != null);
    }

    /** Returns whether Spring itself would synchronize the call, by a cache of another manager. */
    private boolean isForeign() {
        return caches.size() == 1
                && site.original instanceof CacheableOperation cacheable
                && cacheable.isSync()
                && !isGuarded();
    }

    @Override
    @SuppressWarnings({"unchecked", "CatchingUnchecked"}) // what the method throws
    public <T> @Nullable T get(Object key, Callable<T> method) {
        if (isForeign()) {
            return caches.get(0).get(key, method);
        }
        OnceOnly<T> invocation = OnceOnly.of(method);
        try {
            return (T) get(0, key, invocation);
        } catch (Exception e) { // all callers get what the method has thrown
            throw new ValueRetrievalException(key, method, new ThrowableWrapper(e));
        }
    }

    private @Nullable Object get(int level, Object key, OnceOnly<?> method) throws Exception {
        if (level == caches.size()) {
            return method.call();
        }
        Cache cache = caches.get(level);
        GuardedCache guarded = sites.guarded(cache);
        if (guarded != null) {
            guarded.noteKey(key, where(), true);
            boolean isLast = level + 1 == caches.size();
            return guarded.get(key, isLast ? method : OnceOnly.of(() -> get(level + 1, key, method)), this);
        }
        ValueWrapper found = sites.foreignGet(site, cache, key);
        if (found != null) {
            return found.get();
        }
        Object value = get(level + 1, key, method);
        if (mayStore(value)) {
            sites.foreignPut(site, cache, key, value);
        }
        return value;
    }

    @Override
    @SuppressWarnings("unchecked") // what the method returns
    public <T> CompletableFuture<T> retrieve(Object key, Supplier<CompletableFuture<T>> method) {
        if (isForeign()) {
            return caches.get(0).retrieve(key, method);
        }
        CompletableFuture<?> answer = retrieve(0, key, OnceOnly.ofFuture(method));
        return (CompletableFuture<T>) (site.isFutureOfOptional ? answer.thenApply(SiteCall::wrapped) : answer);
    }

    private static Object wrapped(@Nullable Object value) {
        return value instanceof Optional ? value : Optional.ofNullable(value);
    }

    @SuppressWarnings({"unchecked", "CatchingUnchecked"}) // what the method returns and throws
    private CompletableFuture<@Nullable Object> retrieve(
            int level, Object key, OnceOnly<? extends CompletableFuture<?>> method) {
        try {
            if (level == caches.size()) {
                CompletableFuture<?> result = method.call();
                if (result == null) {
                    throw new IllegalStateException(where() + " returned null in place of a future");
                }
                return (CompletableFuture<@Nullable Object>)
                        (site.isFutureOfOptional ? result.thenApply(SiteCall::unwrapped) : result);
            }
            Cache cache = caches.get(level);
            GuardedCache guarded = sites.guarded(cache);
            if (guarded != null) {
                guarded.noteKey(key, where(), true);
                if (isInTransaction) {
                    return guarded.lookupAsync(key, this)
                            .thenCompose(found -> GuardedCache.isAnswer(found, expectedIn(guarded))
                                    ? CompletableFuture.completedFuture(GuardedCache.valueOf(found.value()))
                                    : retrieve(level + 1, key, method));
                }
                return guarded.getAsync(key, OnceOnly.ofFuture(() -> retrieve(level + 1, key, method)), this);
            }
            CompletableFuture<?> found = cache.retrieve(key);
            return found == null
                    ? retrieveAndPut(level, key, method)
                    : found.thenCompose(value -> value == null
                            ? retrieveAndPut(level, key, method)
                            : CompletableFuture.completedFuture(
                                    value instanceof ValueWrapper wrapper ? wrapper.get() : value));
        } catch (Exception e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletableFuture<@Nullable Object> retrieveAndPut(
            int level, Object key, OnceOnly<? extends CompletableFuture<?>> method) {
        return retrieve(level + 1, key, method).thenApply(value -> {
            if (mayStore(value)) {
                sites.foreignPut(site, caches.get(level), key, value);
            }
            return value;
        });
    }

    private static @Nullable Object unwrapped(@Nullable Object value) {
        return value instanceof Optional<?> optional ? optional.orElse(null) : value;
    }

    // What Spring cannot synchronize, and changes: of one cache, see CallSites.

    private GuardedCache guarded() {
        GuardedCache guarded = sites.guarded(caches.get(0));
        if (guarded == null) {
            throw new IllegalStateException("cache '" + getName() + "' is of another cache manager");
        }
        return guarded;
    }

    @Override
    public @Nullable ValueWrapper get(Object key) {
        GuardedCache guarded = guarded();
        guarded.noteKey(key, where(), true);
        return wrapper(guarded.lookup(key, this), guarded);
    }

    @Override
    @SuppressWarnings("unchecked") // checked
    public <T> @Nullable T get(Object key, @Nullable Class<T> type) {
        ValueWrapper found = get(key);
        Object value = found == null ? null : found.get();
        return type == null ? (T) value : type.cast(value);
    }

    @Override
    public CompletableFuture<?> retrieve(Object key) {
        GuardedCache guarded = guarded();
        guarded.noteKey(key, where(), true);
        return guarded.lookupAsync(key, this).thenApply(found -> wrapper(found, guarded));
    }

    private @Nullable ValueWrapper wrapper(LookupResult<TypedValue> lookup, GuardedCache guarded) {
        TypedValue value = lookup.value();
        if (lookup.state() == State.NOTHING || lookup.isStale() || !GuardedCache.isOf(value, expectedIn(guarded))) {
            fence = lookup.fence();
            return null;
        }
        Object found = GuardedCache.valueOf(value);
        return new SimpleValueWrapper(site.isFutureOfOptional ? wrapped(found) : found);
    }

    @Override
    public void put(Object key, @Nullable Object value) {
        Object stored = site.isFutureOfOptional ? unwrapped(value) : value;
        Fence found = fence;
        if (found == null) {
            guarded().noteKey(key, where(), false);
            guarded().put(key, stored, this);
        } else {
            fence = null;
            guarded().put(key, stored, this, found);
        }
    }

    @Override
    public void evict(Object key) {
        guarded().noteKey(key, where(), false);
        guarded().evict(key, where());
    }

    @Override
    public boolean evictIfPresent(Object key) {
        guarded().noteKey(key, where(), false);
        guarded().evictNow(key, where());
        return false; // what was there is not known
    }

    @Override
    public void clear() {
        guarded().clear();
    }

    @Override
    public boolean invalidate() {
        guarded().clearNow();
        return false; // what was there is not known
    }

    @Override
    public boolean mayStore(@Nullable Object result) {
        return !site.isGuarded || !site.hasUnless || context().mayStore(result);
    }

    @Override
    public String[] tags(@Nullable Object result) {
        return site.tags == null ? new String[0] : site.tags.tags(context.getTarget(), context.getArgs(), result);
    }

    @Override
    public DeclaredValue expectedIn(GuardedCache cache) {
        return site.declaredIn(cache, context.getTarget());
    }

    @Override
    public String where() {
        return site.where;
    }

    /** Returns the invocation as Spring would have it without this library. */
    private SiteContext context() {
        return sites.contextOf(site, context);
    }
}
