/** Bloom filters of the keys that the origin has: of one process, and of a fleet, on Redis. */
module io.stampedeguard.filter {
    requires transitive io.stampedeguard.core;
    requires static transitive io.stampedeguard.redis; // for the filter on Redis only
    requires static transitive org.jspecify;
    requires com.dynatrace.hash4j;
    requires org.slf4j;

    exports io.stampedeguard.filter.bloom;
    exports io.stampedeguard.filter.redis;
}
