package io.stampedeguard.demo.product;

import org.jspecify.annotations.Nullable;

/** Asks the origin for the product of a key; throws whatever goes wrong. <em>Thread-safe.</em> */
@FunctionalInterface
public interface ProductLoad {
    /**
     * Loads.
     *
     * @param key the product's number
     * @return the product, or {@code null} if there is none
     */
    @Nullable
    String load(long key);
}
