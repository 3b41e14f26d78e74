/** The origin: a product catalogue in a real SQL database, and the queries that read it. */
@NullMarked
package io.stampedeguard.demo.origin;

import org.jspecify.annotations.NullMarked;
