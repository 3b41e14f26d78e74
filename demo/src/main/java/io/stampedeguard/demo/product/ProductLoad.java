package io.stampedeguard.demo.product;

import org.jspecify.annotations.Nullable;

/** A loader of the product for a key from the origin; throws any exception of the origin. <em>Thread-safe.</em> */
@FunctionalInterface
public interface ProductLoad {
    @Nullable
    String load(long key);
}
