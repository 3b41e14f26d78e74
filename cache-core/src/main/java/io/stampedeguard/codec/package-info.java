/** Keys as text, and values as bytes. */
@NullMarked
package io.stampedeguard.codec;

import org.jspecify.annotations.NullMarked;
