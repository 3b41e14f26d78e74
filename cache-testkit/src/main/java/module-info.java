/** Parts for tests of code that uses the cache: a store with faults, a clock, a listener, and a loader under the test's control. */
module io.stampedeguard.testkit {
    requires transitive io.stampedeguard.core;
    requires static transitive org.jspecify;

    exports io.stampedeguard.testkit;
}
