/**
 * One load per key inside a process. Callers join a flight through {@link SingleFlight}; each flight completes exactly once.
 * Not exported.
 */
@NullMarked
package io.stampedeguard.internal.flight;

import org.jspecify.annotations.NullMarked;
