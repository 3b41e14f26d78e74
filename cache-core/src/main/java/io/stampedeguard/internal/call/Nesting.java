package io.stampedeguard.internal.call;

import io.stampedeguard.codec.KeyText;
import io.stampedeguard.loader.RecursiveLoadException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which keys of one cache the current thread is loading: loaders may ask the cache for other keys, whose loaders may do the
 * same. They do so under the permit of the first, since one thread runs one loader at a time; and no thread waits for a
 * key that waits for him. <em>Thread-safe.</em>
 */
public final class Nesting {
    /** No thread-local: reading one leaves something behind on each thread that ever missed a key. */
    private final Map<Thread, Set<String>> loading = new ConcurrentHashMap<>();

    /** Notes that this thread is about to load keys; what it loads already is returned, to be handed to {@link #leave}. */
    @Nullable
    Set<String> enter(Collection<String> storeKeys) {
        Set<String> outer = loading.get(Thread.currentThread());
        Set<String> all = new HashSet<>(storeKeys);
        if (outer != null) {
            all.addAll(outer);
        }
        loading.put(Thread.currentThread(), all);
        return outer;
    }

    void leave(@Nullable Set<String> outer) {
        if (outer == null) {
            loading.remove(Thread.currentThread());
        } else {
            loading.put(Thread.currentThread(), outer);
        }
    }

    /** Whether this thread is in a loader of this cache. */
    boolean isInLoader() {
        return loading.containsKey(Thread.currentThread());
    }

    /** Whether this thread is loading a key. */
    public boolean isLoading(String storeKey) {
        Set<String> mine = loading.get(Thread.currentThread());
        return mine != null && mine.contains(storeKey);
    }

    /** Refuses to wait for a key that this thread is loading. */
    public void check(String storeKey) {
        if (isLoading(storeKey)) {
            throw recursion(storeKey);
        }
    }

    public static RecursiveLoadException recursion(String storeKey) {
        return new RecursiveLoadException(
                "the loader of " + KeyText.shown(storeKey) + " has asked the cache for that very key");
    }
}
