package io.stampedeguard.benchmarks.peer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A cache that is compared, as one process sees it. <em>Thread-safe.</em> */
public interface Peer extends AutoCloseable {
    /** Reads the origin. */
    @FunctionalInterface
    interface Load {
        /**
         * Reads the value of a key; blocks for as long as the origin takes.
         *
         * @param key the key
         * @return the value, or {@code null} if the origin has none
         * @throws Exception if the origin fails
         */
        @Nullable
        String load(String key) throws Exception;
    }

    /**
     * Returns the value of a key, from the cache or from the origin.
     *
     * @param key the key
     * @param load how to read the origin
     * @return the value, or {@code null} if the key does not exist
     * @throws Exception if the load fails, or the cache does
     */
    @Nullable
    String get(String key, Load load) throws Exception;

    /**
     * Returns the values of many keys, at once if it can.
     *
     * @param keys the keys
     * @param load how to read the origin
     * @return the values, in any order, without those that do not exist
     * @throws Exception if a load fails, or the cache does
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
     * Learns which keys there are, if it keeps a filter of them, for all processes. Blocks until it has.
     *
     * @param keys opens all keys of the origin
     */
    default void know(Supplier<Stream<String>> keys) {}

    /**
     * Counts keys that cannot exist, by its filter.
     *
     * @param keys the keys
     * @return how many of them cannot exist, if it has a filter
     */
    default OptionalLong countImpossible(Stream<String> keys) {
        return OptionalLong.empty();
    }

    /**
     * Returns how often a caller had to wait for the load of somebody else.
     *
     * @return how often since this peer was opened, if it can tell
     */
    default OptionalLong waits() {
        return OptionalLong.empty();
    }

    @Override
    void close();
}
