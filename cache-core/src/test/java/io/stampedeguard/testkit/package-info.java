/** The contract kit of the library, and tools for its tests. */
@NullMarked
package io.stampedeguard.testkit;

import org.jspecify.annotations.NullMarked;
