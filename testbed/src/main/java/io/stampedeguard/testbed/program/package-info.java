/** What the programs behind {@code ./stampede} have in common: how they begin, go on, show figures and end. */
@NullMarked
package io.stampedeguard.testbed.program;

import org.jspecify.annotations.NullMarked;
