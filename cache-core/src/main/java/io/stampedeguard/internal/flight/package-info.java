/** One load per key in a process. Callers join through {@link SingleFlight}; a flight completes exactly once. Not exported. */
@NullMarked
package io.stampedeguard.internal.flight;

import org.jspecify.annotations.NullMarked;
