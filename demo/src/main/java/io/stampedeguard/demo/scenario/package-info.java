/** The scenarios of a cache, and the requests of a process' callers in each of them. */
@NullMarked
package io.stampedeguard.demo.scenario;

import org.jspecify.annotations.NullMarked;
