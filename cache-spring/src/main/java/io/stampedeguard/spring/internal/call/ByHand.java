package io.stampedeguard.spring.internal.call;

import io.stampedeguard.loader.LookupResult;
import io.stampedeguard.loader.LookupResult.Fence;
import io.stampedeguard.loader.LookupResult.State;
import io.stampedeguard.spring.internal.value.DeclaredValue;
import io.stampedeguard.spring.internal.value.TypedValue;
import java.lang.StackWalker.Option;
import java.lang.StackWalker.StackFrame;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.cache.Cache.ValueRetrievalException;
import org.springframework.cache.Cache.ValueWrapper;
import org.springframework.cache.interceptor.CacheOperationInvoker.ThrowableWrapper;
import org.springframework.cache.support.SimpleValueWrapper;
import org.springframework.util.ClassUtils;

/**
 * Calls of a cache that come from no annotation that this library knows: by application code, by AspectJ, by JSR-107 annotations. A put
 * after a look-up by the same thread that has found nothing is bound to that look-up. <em>Thread-safe.</em>
 */
public final class ByHand {
    private static final Logger LOG = LoggerFactory.getLogger(ByHand.class);
    private static final StackWalker STACK = StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE);
    private static final List<String> LIBRARIES =
            List.of("io.stampedeguard.spring.", "org.springframework.", "java.", "jdk.");
    private static final int MOST_FENCES = 16;

    /** How many look-ups are asked for their caller, which takes longer than a near hit; later, one of as many is. */
    private static final int ASKED = 1_000;

    private final GuardedCache cache;

    /** The latest fences of a thread; of a class of the JDK, as pooled threads may outlive this library's class loader. */
    private final ThreadLocal<Map<Object, Fence>> fences = ThreadLocal.withInitial(LinkedHashMap::new);

    private final OnceEach named = new OnceEach();
    private final AtomicLong lookUps = new AtomicLong();

    public ByHand(GuardedCache cache) {
        this.cache = cache;
    }

    /** Returns what the cache has, {@code null} if it has nothing; throws if that is not of the type. */
    public @Nullable ValueWrapper get(Object key, @Nullable Class<?> type) {
        adviseCaller();
        LookupResult<TypedValue> found = cache.lookup(key, new Call(type));
        if (isNothing(found)) {
            keep(key, found.fence());
            return null;
        }
        Object value = GuardedCache.valueOf(found.value());
        if (value != null && type != null && !type.isInstance(value)) {
            throw new IllegalStateException("cache '" + cache.name() + "' has a "
                    + value.getClass().getTypeName() + " for this key, not a " + type.getTypeName());
        }
        return new SimpleValueWrapper(value);
    }

    private void keep(Object key, Fence fence) {
        Map<Object, Fence> kept = fences.get();
        kept.remove(key); // it becomes the youngest
        kept.put(key, fence);
        if (kept.size() > MOST_FENCES) {
            kept.remove(kept.keySet().iterator().next());
        }
    }

    private static boolean isNothing(LookupResult<TypedValue> found) {
        return found.state() == State.NOTHING || found.isStale(); // no one would reload it
    }

    /** Returns the value of a key; calls the loader if there is none, unless another caller does. */
    @SuppressWarnings({"unchecked", "CatchingUnchecked"}) // what the loader returns and throws
    public <T> @Nullable T get(Object key, Callable<T> loader) {
        try {
            return (T) cache.get(key, OnceOnly.of(loader), new Call(null));
        } catch (Exception e) {
            boolean isOfSpring = loader.getClass().getName().startsWith("org.springframework.cache.");
            throw new ValueRetrievalException(key, loader, isOfSpring ? new ThrowableWrapper(e) : e);
        }
    }

    /** Returns a future of what the cache has. */
    public CompletableFuture<@Nullable ValueWrapper> retrieve(Object key) {
        adviseCaller();
        return cache.lookupAsync(key, new Call(null)).thenApply(found -> {
            if (isNothing(found)) {
                keep(key, found.fence()); // for a method that this thread calls next
                return null;
            }
            return new SimpleValueWrapper(GuardedCache.valueOf(found.value()));
        });
    }

    /** Returns a future of the value of a key; calls the loader if there is none, unless another caller does. */
    @SuppressWarnings({"unchecked", "CatchingUnchecked"}) // what the loader returns and throws
    public <T> CompletableFuture<T> retrieve(Object key, Supplier<CompletableFuture<T>> loader) {
        try {
            return (CompletableFuture<T>) cache.getAsync(key, OnceOnly.ofFuture(loader), new Call(null));
        } catch (Exception e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * Stores a value: as what was computed after a look-up, or as a change. If the key was changed since the look-up, it is removed: the
     * look-up may be of an earlier request on this thread, and the value newer than what is stored.
     */
    public void put(Object key, @Nullable Object value) {
        Fence fence = fences.get().remove(key);
        if (fence == null) {
            cache.put(key, value, new Call(null));
        } else if (!cache.put(key, value, new Call(null), fence)) {
            cache.evict(key, null);
        }
    }

    /** Stores a value unless there is one; returns that. */
    public @Nullable ValueWrapper putIfAbsent(Object key, @Nullable Object value) {
        ValueWrapper found = get(key, (Class<?>) null);
        Fence fence = fences.get().remove(key);
        if (found != null || fence == null || cache.put(key, value, new Call(null), fence)) {
            return found;
        }
        ValueWrapper other = get(key, (Class<?>) null);
        fences.get().remove(key);
        return other;
    }

    /** Removes a key; a put after it is a change. */
    public void evict(Object key, boolean isNow) {
        fences.get().remove(key);
        if (isNow) {
            cache.evictNow(key, null);
        } else {
            cache.evict(key, null);
        }
    }

    /** Removes all keys. */
    public void clear(boolean isNow) {
        fences.remove();
        if (isNow) {
            cache.clearNow();
        } else {
            cache.clear();
        }
    }

    private void adviseCaller() {
        long before = lookUps.getAndIncrement();
        if (before >= ASKED && before % ASKED != 0) {
            return;
        }
        String caller = STACK.walk(ByHand::caller);
        if (named.isFirst(caller)) {
            LOG.info(
                    "Cache '{}': {} looks up and puts by itself, so concurrent callers each compute the value. Use @Cacheable of"
                            + " Spring in its proxy mode, or get(key, Callable), or a TypedCache.",
                    cache.name(),
                    caller);
        }
    }

    private static String caller(Stream<StackFrame> frames) {
        return frames.map(frame -> userClass(frame).getName() + "." + frame.getMethodName())
                .filter(method -> LIBRARIES.stream().noneMatch(method::startsWith))
                .findFirst()
                .orElse("a caller");
    }

    /** Returns the class of a method; in place of a proxy, whose class is generated, the class or interface that it stands for. */
    private static Class<?> userClass(StackFrame frame) {
        Class<?> declaring = frame.getDeclaringClass();
        return Proxy.isProxyClass(declaring)
                ? Stream.<Class<?>>of(declaring.getInterfaces())
                        .filter(type -> ClassUtils.hasAtLeastOneMethodWithName(type, frame.getMethodName()))
                        .findFirst()
                        .orElse(declaring)
                : ClassUtils.getUserClass(declaring);
    }

    /** A call that expects a class, or anything. */
    private record Call(@Nullable Class<?> type) implements Loading {
        @Override
        public @Nullable DeclaredValue expectedIn(GuardedCache cache) {
            if (type != null && type != Object.class) {
                cache.declare(type, null);
            }
            return null;
        }

        @Override
        public @Nullable String where() {
            return null;
        }
    }
}
