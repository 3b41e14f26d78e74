package io.stampedeguard.store;

import java.time.Duration;

/**
 * A failed load, as the store keeps it. <em>Immutable</em>, except for the bytes.
 *
 * @param failure the failure as bytes, for callers during the cool-down; a few hundred at most; not to be modified
 * @param inARow the number of loads that failed in a row, including this one
 * @param coolDown how long the lease is not granted, at least 1 ms
 * @param remembered how long the number of failures is stored after that
 */
public record FailedLoad(byte[] failure, int inARow, Duration coolDown, Duration remembered) {}
