package io.stampedeguard.demo;

import org.jspecify.annotations.Nullable;

/** Asks the origin for the product of a key; throws whatever goes wrong. <em>Thread-safe.</em> */
@FunctionalInterface
interface ProductLoad {
    /** Tells the product, or {@code null} if there is none. */
    @Nullable
    String load(long key);
}
