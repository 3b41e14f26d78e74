package io.stampedeguard.demo.product;

import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** A loader of the product for a key from the origin; throws any exception of the origin. <em>Thread-safe.</em> */
@FunctionalInterface
public interface ProductLoad {
    @Nullable
    String load(long key);

    /** Returns this loader with a bound on concurrent loads: further ones wait, in order of arrival. */
    default ProductLoad bounded(int loads) {
        Semaphore free = new Semaphore(loads, true);
        return key -> {
            free.acquireUninterruptibly();
            try {
                return load(key);
            } finally {
                free.release();
            }
        };
    }
}
