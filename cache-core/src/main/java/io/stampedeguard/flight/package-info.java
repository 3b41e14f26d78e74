/** One load per key inside a process. Not exported. */
@NullMarked
package io.stampedeguard.flight;

import org.jspecify.annotations.NullMarked;
