/**
 * What a {@link io.stampedeguard.store.SharedStore} takes and returns, and its optional abilities. Exported to the stores of this
 * project only.
 */
@NullMarked
package io.stampedeguard.internal.spi;

import org.jspecify.annotations.NullMarked;
