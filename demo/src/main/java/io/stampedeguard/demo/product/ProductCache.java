package io.stampedeguard.demo.product;

import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A cache of products in front of the origin. <em>Thread-safe.</em> */
public interface ProductCache extends AutoCloseable {
    /** Returns a product, {@code null} if there is none; throws any exception of the load. */
    @Nullable
    String get(long key);

    /** Stores a product as if it had just been read. */
    void put(long key, String product);

    void expire(long key);

    /** Announces a new product to the fleet. */
    default void keyCreated(long key) {}

    /** Builds the key filter, if there is one, from the keys of all products. */
    default void buildFilter(Supplier<Stream<Long>> keys) {}

    @Override
    void close();
}
