/**
 * The entries of the store: a value as bytes, its expiries, and its token. {@link Entry} reads and writes the wire form, and
 * decides when an entry is reloaded. Not exported.
 */
@NullMarked
package io.stampedeguard.internal.entry;

import org.jspecify.annotations.NullMarked;
