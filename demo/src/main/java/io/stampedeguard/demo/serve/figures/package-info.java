/** The figures of a fleet: the counts of its processes, in total and for each second. */
@NullMarked
package io.stampedeguard.demo.serve.figures;

import org.jspecify.annotations.NullMarked;
