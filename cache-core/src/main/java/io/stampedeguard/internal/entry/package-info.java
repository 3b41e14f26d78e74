/**
 * What the store keeps for a key: the value as bytes, its expiries, and its token. {@link EntryCodec} reads and writes the wire form;
 * {@link EarlyRefresh} decides when an entry is to be reloaded. Not exported.
 */
@NullMarked
package io.stampedeguard.internal.entry;

import org.jspecify.annotations.NullMarked;
