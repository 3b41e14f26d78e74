package io.stampedeguard.demo.product;

import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A cache of products in front of the origin. <em>Thread-safe.</em> */
public interface ProductCache extends AutoCloseable {
    /**
     * Returns a product; throws any exception of the load.
     *
     * @param key the product's number
     * @return the product for the key, {@code null} if there is none
     */
    @Nullable
    String get(long key);

    /**
     * Stores a product as if it had just been read.
     *
     * @param key the product's number
     * @param product the product
     */
    void put(long key, String product);

    /**
     * Expires a product now.
     *
     * @param key the product's number
     */
    void expire(long key);

    /**
     * Announces a new product to the fleet.
     *
     * @param key the product's number
     */
    default void keyCreated(long key) {}

    /**
     * Builds the key filter, if there is one.
     *
     * @param keys a supplier of the keys of all products
     */
    default void buildFilter(Supplier<Stream<Long>> keys) {}

    /** Stops background work. */
    @Override
    void close();
}
