/** Leases that a majority of independent Redis servers holds as well. */
module io.stampedeguard.redlock {
    requires transitive io.stampedeguard.redis;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.stampedeguard.redlock;
}
