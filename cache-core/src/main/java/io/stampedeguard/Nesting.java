package io.stampedeguard;

import io.stampedeguard.codec.KeyText;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which keys of one cache the current thread is loading: loaders may ask the cache for other keys, whose loaders may do the
 * same. They do so under the permit of the first, since of one thread one loader runs at a time; and nobody waits for a
 * key that waits for him. <em>Thread-safe.</em>
 */
final class Nesting {
    private final ThreadLocal<@Nullable Set<String>> loading = new ThreadLocal<>();

    /** Notes that this thread is about to load keys; what it loads already is returned, to be handed to {@link #leave}. */
    @Nullable
    Set<String> enter(Collection<String> storeKeys) {
        Set<String> outer = loading.get();
        Set<String> all = new HashSet<>(storeKeys);
        if (outer != null) {
            all.addAll(outer);
        }
        loading.set(all);
        return outer;
    }

    void leave(@Nullable Set<String> outer) {
        if (outer == null) {
            loading.remove();
        } else {
            loading.set(outer);
        }
    }

    /** Whether this thread is in a loader of this cache. */
    boolean isInLoader() {
        return loading.get() != null;
    }

    /** Refuses to wait for a key that this thread is loading. */
    void check(String storeKey) {
        Set<String> mine = loading.get();
        if (mine != null && mine.contains(storeKey)) {
            throw new RecursiveLoadException(
                    "the loader of " + KeyText.shown(storeKey) + " has asked the cache for that very key");
        }
    }
}
