package io.stampedeguard.demo.serve.figures;

import java.util.Locale;

/** What a process did within a second; of several things the last one in this order. */
public enum ProcessState {
    FRESH,
    /** It answered with stale values. */
    STALE,
    /** It queried the database. */
    LOADING,
    /** There was none, or it waits for Redis. */
    DEAD;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
