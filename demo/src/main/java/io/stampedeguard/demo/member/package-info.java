/** A process of the fleet of {@code ./stampede demo}. */
@NullMarked
package io.stampedeguard.demo.member;

import org.jspecify.annotations.NullMarked;
