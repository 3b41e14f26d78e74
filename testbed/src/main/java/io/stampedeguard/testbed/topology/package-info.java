/** Groups of real Redis servers: a cluster, and a master that Sentinels monitor. Not published. */
@NullMarked
package io.stampedeguard.testbed.topology;

import org.jspecify.annotations.NullMarked;
