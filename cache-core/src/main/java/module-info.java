/** The guarded cache: read path, lease protocol, entry format and an in-memory store. Knows no Redis. */
module io.stampedeguard.core {
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.stampedeguard.store;
    exports io.stampedeguard.time;
}
