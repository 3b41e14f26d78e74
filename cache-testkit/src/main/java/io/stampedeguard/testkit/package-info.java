/** A store with faults, a clock, a listener, and a loader, all under a test's control: outages without Redis, time without sleep. */
@NullMarked
package io.stampedeguard.testkit;

import org.jspecify.annotations.NullMarked;
