/** What other modules of this project use of a store, and its users do not see: exported to these modules only. */
@NullMarked
package io.stampedeguard.redis.internal.parts;

import org.jspecify.annotations.NullMarked;
