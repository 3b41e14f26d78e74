/** The contract kit of the library and the tools of its tests. */
@NullMarked
package io.stampedeguard.testkit;

import org.jspecify.annotations.NullMarked;
