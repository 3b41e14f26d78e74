/** A catalogue of products without a framework: the JDK's HTTP server, JDBC, and a guarded cache. */
@NullMarked
package io.stampedeguard.examples.jdbc;

import org.jspecify.annotations.NullMarked;
