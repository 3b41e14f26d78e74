/** The stored entry and its wire format. Not exported. */
@NullMarked
package io.stampedeguard.entry;

import org.jspecify.annotations.NullMarked;
