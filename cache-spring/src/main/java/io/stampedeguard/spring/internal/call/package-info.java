/** From an invocation of an annotated method to a guarded cache, and to the method. Not exported. */
@NullMarked
package io.stampedeguard.spring.internal.call;

import org.jspecify.annotations.NullMarked;
