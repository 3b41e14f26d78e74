package io.stampedeguard.architecture.broken.time;

import io.stampedeguard.architecture.broken.KnowsTime;

/** The other half of a cycle. It may read the clock. */
public final class KnowsTheRoot {
    KnowsTime known;
    final long read = System.nanoTime();

    /** A name without a meaning. */
    public static final class Inner {}
}
