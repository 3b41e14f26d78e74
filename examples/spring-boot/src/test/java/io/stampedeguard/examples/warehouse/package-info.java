/** A warehouse whose cached methods read entities: what the catalogue, whose values are records, does not show. */
@NullMarked
package io.stampedeguard.examples.warehouse;

import org.jspecify.annotations.NullMarked;
