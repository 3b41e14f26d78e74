/** Copies of entries in this process, and how they are kept from growing too old. */
@NullMarked
package io.stampedeguard.near;

import org.jspecify.annotations.NullMarked;
