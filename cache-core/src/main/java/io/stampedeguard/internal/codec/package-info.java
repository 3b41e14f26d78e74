/** What the cache asks of the library's own codecs, beyond their interface. Not exported. */
@NullMarked
package io.stampedeguard.internal.codec;

import org.jspecify.annotations.NullMarked;
