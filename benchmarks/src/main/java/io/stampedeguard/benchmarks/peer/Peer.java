package io.stampedeguard.benchmarks.peer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A compared cache, from the view of one process. <em>Thread-safe.</em> */
public interface Peer extends AutoCloseable {
    @FunctionalInterface
    interface Load {
        /**
         * Returns the value for a key, {@code null} if the origin has none; blocks until the origin has answered, or throws if it
         * fails.
         */
        @Nullable
        String load(String key) throws Exception;

        /** Returns as {@link #load} does, for caches whose loaders throw no checked exceptions; these are wrapped. */
        default @Nullable String loadUnchecked(String key) {
            try {
                return load(key);
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new CompletionException(e);
            }
        }

        /** Returns the values for many keys, without those that the origin has not; by one load if the origin can. */
        default Map<String, String> loadAll(Set<String> keys) throws Exception {
            Map<String, String> values = new HashMap<>();
            for (String key : keys) {
                String value = load(key);
                if (value != null) {
                    values.put(key, value);
                }
            }
            return values;
        }
    }

    /**
     * Returns the value for a key, from the cache or from the origin, {@code null} if it does not exist; throws if either fails.
     */
    @Nullable
    String get(String key, Load load) throws Exception;

    /** Returns the values for many keys, in any order, without nonexistent keys; in one call if the peer supports that. */
    default Collection<String> getAll(List<String> keys, Load load) throws Exception {
        List<String> values = new ArrayList<>(keys.size());
        for (String key : keys) {
            String value = get(key, load);
            if (value != null) {
                values.add(value);
            }
        }
        return values;
    }

    /** Removes a key, after its origin has changed. */
    void remove(String key);

    /**
     * Removes all keys of the cache, after their origin has changed.
     *
     * @throws UnsupportedOperationException if this cache has no such operation
     */
    default void clear() {
        throw new UnsupportedOperationException("it has no operation that clears a cache");
    }

    /** Fills the key filter with the existing keys, for all processes, if the peer has a filter. Blocks until that is done. */
    default void know(Supplier<Stream<String>> keys) {}

    /** Returns how many keys cannot exist, if the peer has a filter. */
    default OptionalLong countImpossible(Stream<String> keys) {
        return OptionalLong.empty();
    }

    /** Returns how often a caller waited for the load of another caller since this peer was opened, if the peer reports it. */
    default OptionalLong waits() {
        return OptionalLong.empty();
    }

    /**
     * Returns how many keys were loaded without a lease since this peer was opened, by the reason; nothing if it has no leases, or
     * does not report that.
     */
    default Map<String, Long> unleasedLoads() {
        return Map.of();
    }

    /**
     * Returns the state of the circuit breaker between this peer and Redis, in one word, {@code null} if it has none. This is the
     * one place where a peer reports it.
     */
    default @Nullable String breaker() {
        return null;
    }

    @Override
    void close();
}
