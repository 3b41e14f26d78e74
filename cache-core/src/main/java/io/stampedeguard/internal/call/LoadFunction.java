package io.stampedeguard.internal.call;

import io.stampedeguard.internal.lease.KeyRequest;
import io.stampedeguard.internal.storage.StoreReads.Lookup;
import io.stampedeguard.internal.storage.StoreReads.Stored;
import io.stampedeguard.loader.AdaptiveLoader;
import io.stampedeguard.loader.BulkLoader;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
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

    /** Returns the age that its call bounds; {@code null} if what is cached is an answer whatever its age. */
    @Nullable
    AgeBound bound();

    /** Returns whether its call reloads: of what is cached, only what its bound permits is an answer, and no load from before. */
    default boolean reloads() {
        return bound() != null;
    }

    /** Returns a function that invokes a loader for one key. */
    static <K, V> LoadFunction<K, V> ofEach(Loader<? super K, ? extends V> loader) {
        return new OfEach<>(loader, null);
    }

    /** Returns a function that invokes a loader for one key, for a call that bounds the age of its answer. */
    static <K, V> LoadFunction<K, V> bounded(Loader<? super K, ? extends V> loader, AgeBound bound) {
        return new OfEach<>(loader, bound);
    }

    /**
     * How old an answer may be when a call begins: what was loaded since is an answer in any case. {@code maxAge} is {@code null} if
     * nothing that is cached is one, as for a refresh, which is no read.
     */
    record AgeBound(@Nullable Duration maxAge, long beganNanos, TimeSource time) {
        /** Times of the store, and of loads, are rounded to milliseconds. */
        private static final long ROUNDED_MILLIS = 2;

        public static AgeBound fromNow(@Nullable Duration maxAge, TimeSource time) {
            return new AgeBound(maxAge, time.monotonicNanos(), time);
        }

        /** Returns whether what was read is an answer: a fresh entry whose load did not begin too early, or that a key cannot exist. */
        public boolean permits(Lookup<?, ?> lookup) {
            Stored<?> stored = lookup.stored();
            if (stored == null || lookup.seen() == null) {
                return stored != null;
            }
            if (maxAge == null || maxAge.isZero() || stored.isStale()) {
                return false; // with zero, no two clocks would have to agree
            }
            long sinceMillis = TimeUnit.NANOSECONDS.toMillis(time.monotonicNanos() - beganNanos);
            long beganMillisAgo = stored.ageMillis() + stored.entry().loadMillis() + ROUNDED_MILLIS;
            return Duration.ofMillis(beganMillisAgo - sinceMillis).compareTo(maxAge) <= 0;
        }

        /** Returns whether the call counts as a read. */
        public boolean isRead() {
            return maxAge != null;
        }
    }

    /** Returns a function that invokes a bulk loader for all keys. */
    static <K, V> LoadFunction<K, V> ofAll(BulkLoader<K, V> loader) {
        return new OfAll<>(loader);
    }

    record OfEach<K, V>(
            Loader<? super K, ? extends V> loader, @Nullable AgeBound bound) implements LoadFunction<K, V> {
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
        public @Nullable AgeBound bound() {
            return null;
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
