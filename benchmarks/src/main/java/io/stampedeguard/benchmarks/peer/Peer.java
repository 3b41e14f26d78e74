package io.stampedeguard.benchmarks.peer;

import java.util.OptionalLong;

/** A cache that is compared, as one process sees it. <em>Thread-safe.</em> */
public interface Peer extends AutoCloseable {
    /** Reads the origin. */
    @FunctionalInterface
    interface Load {
        /**
         * Reads the value of a key; blocks for as long as the origin takes.
         *
         * @param key the key
         * @return the value
         * @throws Exception if the origin fails
         */
        String load(String key) throws Exception;
    }

    /**
     * Tells the value of a key, from the cache or from the origin.
     *
     * @param key the key
     * @param load how to read the origin
     * @return the value
     * @throws Exception if the load fails, or the cache does
     */
    String get(String key, Load load) throws Exception;

    /**
     * Removes a key, after its origin has changed.
     *
     * @param key the key
     */
    void remove(String key);

    /**
     * Tells how often a caller had to wait for the load of somebody else.
     *
     * @return how often since this peer was opened, if it can tell
     */
    default OptionalLong waits() {
        return OptionalLong.empty();
    }

    @Override
    void close();
}
