/** The guarded cache. Start at {@link io.stampedeguard.StampedeGuardedCache}. */
@NullMarked
package io.stampedeguard;

import org.jspecify.annotations.NullMarked;
