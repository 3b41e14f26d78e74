package io.stampedeguard.demo;

import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A cache of products in front of the origin. <em>Thread-safe.</em> */
interface ProductCache extends AutoCloseable {
    /** Tells the product for a key, {@code null} if there is none; throws whatever goes wrong. */
    @Nullable
    String get(long key);

    /** Stores a product as if it had just been read. */
    void put(long key, String product);

    /** Tells the fleet of a product that has come into being. */
    default void announce(long key) {}

    /** Builds the key filter, if there is one, from the keys of all products. */
    default void buildFilter(Supplier<Stream<Long>> keys) {}

    /** Ends what runs in the background. */
    @Override
    void close();
}
