/**
 * The shared store as a cache uses it. {@link StoreReads} reads keys that can exist, and lets the near cache keep what is fresh;
 * {@link EntryWriter} makes the entries that are stored. Every call of the store is reported. Not exported.
 */
@NullMarked
package io.stampedeguard.internal.storage;

import org.jspecify.annotations.NullMarked;
