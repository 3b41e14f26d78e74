/** Common parts of the programs behind {@code ./stampede}: start, progress, tables, and exit codes. */
@NullMarked
package io.stampedeguard.testbed.program;

import org.jspecify.annotations.NullMarked;
