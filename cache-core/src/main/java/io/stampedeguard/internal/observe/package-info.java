/**
 * What a cache reports: events to listeners, faults and advice to the log, messages of exceptions, hot keys. {@link CacheEvents}
 * is the entry point; {@link CacheContext} passes it, with the policy and the clock, to the other parts. Not exported.
 */
@NullMarked
package io.stampedeguard.internal.observe;

import org.jspecify.annotations.NullMarked;
