package io.stampedeguard;

import org.jspecify.annotations.Nullable;

/**
 * One call of the loader, over.
 *
 * @param value what the loader returned
 * @param failure what the loader threw
 * @param nanos how long it ran
 */
record LoadRun<V>(@Nullable V value, @Nullable Throwable failure, long nanos) {}
