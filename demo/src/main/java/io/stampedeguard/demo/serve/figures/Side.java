package io.stampedeguard.demo.serve.figures;

import java.util.Locale;

/** The two fleets that are shown beside each other. */
public enum Side {
    /** Plain cache-aside. */
    NAIVE,
    /** {@code StampedeGuardedCache}, with a key filter and near caches. */
    GUARDED;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
