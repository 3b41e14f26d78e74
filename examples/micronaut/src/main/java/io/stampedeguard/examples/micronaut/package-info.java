/** A catalogue of products in a database, whose reads are cached for all processes. */
@NullMarked
package io.stampedeguard.examples.micronaut;

import org.jspecify.annotations.NullMarked;
