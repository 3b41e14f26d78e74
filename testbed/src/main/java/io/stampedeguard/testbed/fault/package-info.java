/** Faults of the network between a client and a Redis server, on the loopback interface. */
@NullMarked
package io.stampedeguard.testbed.fault;

import org.jspecify.annotations.NullMarked;
