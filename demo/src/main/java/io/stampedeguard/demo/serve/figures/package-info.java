/** The figures of a fleet: what its processes count, and what it did within a second. */
@NullMarked
package io.stampedeguard.demo.serve.figures;

import org.jspecify.annotations.NullMarked;
