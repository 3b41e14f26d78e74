/** What is measured: gets, queries and when they ran, latencies, Redis commands. Knows nobody. */
@NullMarked
package io.stampedeguard.demo.measure;

import org.jspecify.annotations.NullMarked;
