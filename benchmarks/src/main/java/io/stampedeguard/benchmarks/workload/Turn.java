package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.peer.PeerKind;

/** One round of one peer in one of the workload's set-ups, short if {@code quick}; {@code key} is a new prefix for its keys. */
public record Turn(PeerKind peer, String config, String key, boolean quick) {}
