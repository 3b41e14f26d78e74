/**
 * The shared store as a cache uses it. {@link StoreReads} reads keys that may exist, and passes fresh entries to the near
 * cache; {@link EntryWriter} creates the entries to store. Every call of the store is reported. Not exported.
 */
@NullMarked
package io.stampedeguard.internal.storage;

import org.jspecify.annotations.NullMarked;
