package io.stampedeguard.benchmarks.peer;

import java.util.List;

/**
 * A module below {@code benchmarks/peers}: caches of others, with dependencies of their own, that are built on request. It is on
 * the class path if one of its peers is requested, and is found there by {@link java.util.ServiceLoader}.
 */
public interface PeerModule {
    /** Returns its peers, with the names that {@link Peers} has for them. */
    List<PeerKind> peers();
}
