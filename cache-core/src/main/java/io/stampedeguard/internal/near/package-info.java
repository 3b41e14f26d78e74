/**
 * Copies of entries inside the process, with bounds on size and staleness. {@link NearCache} is the entry point; {@link
 * Coherence} decides which copies may still be served. Not exported.
 */
@NullMarked
package io.stampedeguard.internal.near;

import org.jspecify.annotations.NullMarked;
