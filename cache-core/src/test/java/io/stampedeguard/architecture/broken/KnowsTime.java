package io.stampedeguard.architecture.broken;

import io.stampedeguard.architecture.broken.time.KnowsTheRoot;

/** Half of a cycle; this half is allowed. */
public final class KnowsTime {
    KnowsTheRoot known = new KnowsTheRoot();
}
