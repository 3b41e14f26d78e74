/** Keys to text, values to bytes and back. */
@NullMarked
package io.stampedeguard.codec;

import org.jspecify.annotations.NullMarked;
