package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.peer.PeerKind;

/**
 * One round of one peer.
 *
 * @param peer the peer
 * @param config one of the workload's set-ups
 * @param key the prefix of the round's keys, not used before
 * @param quick whether the round is short
 */
public record Turn(PeerKind peer, String config, String key, boolean quick) {}
