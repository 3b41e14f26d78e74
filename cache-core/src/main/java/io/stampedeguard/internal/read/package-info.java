/**
 * Reads: near cache, store, then a flight. {@link ReadPath} is the entry point for {@code get} and {@code getAll}, {@link
 * AsyncReads} for their asynchronous forms; {@link MissResolver} resolves misses. Not exported.
 */
@NullMarked
package io.stampedeguard.internal.read;

import org.jspecify.annotations.NullMarked;
