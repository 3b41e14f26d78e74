package io.stampedeguard.internal.call;

import io.stampedeguard.internal.lease.KeyRequest;
import io.stampedeguard.internal.storage.StoreReads.Stored;
import io.stampedeguard.loader.AdaptiveLoader;
import io.stampedeguard.loader.BulkLoader;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The loader that a caller gave, in whatever form, as the cache invokes it: once for a set of keys, or for a single one. */
public interface LoadFunction<K, V> {
    /**
     * Loads the targets, at least one, and only one unless it takes many; returns what was loaded, in their order. Everything
     * that runs user code happens here, including reads of a map that the loader returned.
     */
    List<LoadedValue<V>> load(List<KeyRequest<K, V>> targets) throws Exception;

    /** Returns whether it loads many keys at once; otherwise it is invoked for one key at a time. */
    boolean takesMany();

    /** Returns whether it waits for what other threads do; then it is invoked on a thread of the cache, never on an executor. */
    boolean isAsynchronous();

    /** Returns whether its call reloads: only what is loaded from now on is an answer, and nothing that is cached. */
    boolean reloads();

    /** Returns a function that invokes a loader for one key. */
    static <K, V> LoadFunction<K, V> ofEach(Loader<? super K, ? extends V> loader) {
        return new OfEach<>(loader, false);
    }

    /** Returns a function that invokes a loader for one key, for a call that reloads it. */
    static <K, V> LoadFunction<K, V> reloading(Loader<? super K, ? extends V> loader) {
        return new OfEach<>(loader, true);
    }

    /** Returns a function that invokes a bulk loader for all keys. */
    static <K, V> LoadFunction<K, V> ofAll(BulkLoader<K, V> loader) {
        return new OfAll<>(loader);
    }

    record OfEach<K, V>(Loader<? super K, ? extends V> loader, boolean reloads) implements LoadFunction<K, V> {
        @Override
        public boolean takesMany() {
            return false;
        }

        @Override
        public boolean isAsynchronous() {
            return loader instanceof StageLoader;
        }

        @Override
        @SuppressWarnings("unchecked") // what is loaded and shown is only read
        public List<LoadedValue<V>> load(List<KeyRequest<K, V>> targets) throws Exception {
            KeyRequest<K, V> target = targets.get(0);
            if (!(loader instanceof AdaptiveLoader<?, ?>)) {
                return List.of(LoadedValue.of(loader.load(target.key())));
            }
            Stored<V> stored = target.lookup().stored();
            LoadedValue<V> loaded =
                    ((AdaptiveLoader<K, V>) loader).load(target.key(), stored == null ? null : stored.asPrevious());
            if (loaded == null || (loaded.isNotModified() && stored == null)) {
                throw new IllegalStateException("the adaptive loader returned "
                        + (loaded == null ? "null" : "notModified, without a previous value"));
            }
            return List.of(loaded);
        }
    }

    record OfAll<K, V>(BulkLoader<K, V> loader) implements LoadFunction<K, V> {
        @Override
        public boolean reloads() {
            return false;
        }

        @Override
        public boolean takesMany() {
            return true;
        }

        @Override
        public boolean isAsynchronous() {
            return false;
        }

        @Override
        public List<LoadedValue<V>> load(List<KeyRequest<K, V>> targets) throws Exception {
            Set<K> keys = new LinkedHashSet<>(targets.size() * 2);
            targets.forEach(target -> keys.add(target.key()));
            Map<? extends K, ? extends @Nullable V> values = loader.loadAll(Collections.unmodifiableSet(keys));
            if (values == null) {
                throw new IllegalStateException("the bulk loader returned null");
            }
            List<LoadedValue<V>> loaded = new ArrayList<>(targets.size());
            for (KeyRequest<K, V> target : targets) {
                loaded.add(LoadedValue.of(values.get(target.key())));
            }
            return loaded;
        }
    }
}
