/** A catalogue of products in a database, whose reads are cached for all processes. */
@NullMarked
package io.stampedeguard.examples.catalogue;

import org.jspecify.annotations.NullMarked;
