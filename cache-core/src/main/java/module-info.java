/** The guarded cache: read path, lease protocol, entry format and an in-memory store. Knows no Redis. */
@SuppressWarnings("module") // those to which it exports packages are compiled later
module io.stampedeguard.core {
    requires static transitive org.jspecify;
    requires com.github.benmanes.caffeine;
    requires static com.fasterxml.jackson.databind;
    requires static tools.jackson.databind;
    requires static org.lz4.java;
    requires org.slf4j;

    exports io.stampedeguard;
    exports io.stampedeguard.codec;
    exports io.stampedeguard.event;
    exports io.stampedeguard.filter;
    exports io.stampedeguard.loader;
    exports io.stampedeguard.policy;
    exports io.stampedeguard.report;
    exports io.stampedeguard.store;
    exports io.stampedeguard.time;
    // Advice from measured loads is that module's: it gets each call of the loader, which is no event of listeners.
    exports io.stampedeguard.internal.advice to
            io.stampedeguard.micrometer;
    // What the cache and its stores give each other.
    exports io.stampedeguard.internal.spi to
            io.stampedeguard.redis,
            io.stampedeguard.redlock,
            io.stampedeguard.testkit;
    exports io.stampedeguard.internal.failure to
            io.stampedeguard.filter,
            io.stampedeguard.redis,
            io.stampedeguard.redlock,
            io.stampedeguard.spring;

    uses io.stampedeguard.internal.advice.LoadAdvisorFactory;
}
