package io.stampedeguard.store;

import java.time.Duration;

/**
 * What a store is to remember of a load that failed. <em>Immutable</em>, but for the bytes.
 *
 * @param failure what is to be told to those who ask meanwhile, as bytes; a few hundred at most; not to be changed
 * @param inARow how many loads have failed in a row, this one included
 * @param coolDown for how long nobody is granted the lease, at least 1 ms
 * @param remembered for how long after that the number of failures is remembered
 */
public record FailedLoad(byte[] failure, int inARow, Duration coolDown, Duration remembered) {}
