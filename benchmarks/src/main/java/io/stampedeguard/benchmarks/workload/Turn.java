package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.peer.PeerKind;

/**
 * One round of one peer.
 *
 * @param peer whose turn it is
 * @param config in which of the workload's set-ups
 * @param key what the round's keys begin with, not used before
 * @param quick whether it is to be in short
 */
public record Turn(PeerKind peer, String config, String key, boolean quick) {}
