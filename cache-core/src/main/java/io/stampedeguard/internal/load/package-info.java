/**
 * The way of a leader from a miss to a result: permit, lease, loader, publication, or the result of another process.
 * {@link ProtectedLoad} leads the flight of one key, {@link BulkLoad} those of many. Not exported.
 */
@NullMarked
package io.stampedeguard.internal.load;

import org.jspecify.annotations.NullMarked;
