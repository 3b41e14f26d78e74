package io.stampedeguard.benchmarks.peer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A compared cache, from the view of one process. <em>Thread-safe.</em> */
public interface Peer extends AutoCloseable {
    /** Reads the origin. */
    @FunctionalInterface
    interface Load {
        /**
         * Returns the value for a key; blocks until the origin has answered.
         *
         * @param key the key
         * @return the value, or {@code null} if the origin has none
         * @throws Exception if the origin fails
         */
        @Nullable
        String load(String key) throws Exception;
    }

    /**
     * Returns the value for a key, from the cache or from the origin.
     *
     * @param key the key
     * @param load the loader that reads the origin
     * @return the value, or {@code null} if the key does not exist
     * @throws Exception if the load or the cache fails
     */
    @Nullable
    String get(String key, Load load) throws Exception;

    /**
     * Returns the values for many keys, in one call if the peer supports that.
     *
     * @param keys the keys
     * @param load the loader that reads the origin
     * @return the values, in any order, without nonexistent keys
     * @throws Exception if a load or the cache fails
     */
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

    /**
     * Removes a key, after its origin has changed.
     *
     * @param key the key
     */
    void remove(String key);

    /**
     * Fills the key filter with the existing keys, for all processes, if the peer has a filter. Blocks until that is
     * done.
     *
     * @param keys a supplier of all keys of the origin
     */
    default void know(Supplier<Stream<String>> keys) {}

    /**
     * Returns how many keys cannot exist, according to its filter.
     *
     * @param keys the keys
     * @return how many of them cannot exist, if it has a filter
     */
    default OptionalLong countImpossible(Stream<String> keys) {
        return OptionalLong.empty();
    }

    /**
     * Returns how often a caller waited for the load of another caller.
     *
     * @return the number since this peer was opened, if it reports it
     */
    default OptionalLong waits() {
        return OptionalLong.empty();
    }

    @Override
    void close();
}
