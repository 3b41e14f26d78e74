/**
 * Leases: the right to load a key in the fleet. {@link LeaseClient} requests them, {@link LeaseRenewer} keeps them while a load runs, and
 * {@link LeaseEnds} gives them back. Not exported.
 */
@NullMarked
package io.stampedeguard.internal.lease;

import org.jspecify.annotations.NullMarked;
