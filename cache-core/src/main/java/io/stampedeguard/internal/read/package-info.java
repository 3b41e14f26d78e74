/**
 * The way of a read: near cache, store, then a flight. Start at {@link ReadPath} for {@code get}; {@link AsyncReadPath} is that of
 * {@code getAsync}, and {@link BulkRead} that of {@code getAll}. Not exported.
 */
@NullMarked
package io.stampedeguard.internal.read;

import org.jspecify.annotations.NullMarked;
