package io.stampedeguard;

import org.jspecify.annotations.Nullable;

/**
 * One call of the loader, over.
 *
 * @param result what the loader returned
 * @param failure what the loader threw
 * @param nanos how long it ran
 */
record LoadRun<R>(@Nullable R result, @Nullable Throwable failure, long nanos) {}
