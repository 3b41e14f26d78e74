/**
 * Copies of entries inside the process, bounded in size and in staleness. {@link NearCache} is the entry point; {@link Coherence} decides
 * which copies may still be answered. Not exported.
 */
@NullMarked
package io.stampedeguard.internal.near;

import org.jspecify.annotations.NullMarked;
