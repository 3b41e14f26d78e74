/** The shared store on Redis, through Jedis. */
@SuppressWarnings("module") // of the modules beside it, a compiler of this one knows nothing
module io.stampedeguard.redis {
    requires transitive io.stampedeguard.core;
    requires transitive redis.clients.jedis;
    requires org.apache.commons.pool2;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.stampedeguard.redis;
    // What a user does not see, for the modules beside this one.
    exports io.stampedeguard.redis.internal.command to
            io.stampedeguard.filter;
    exports io.stampedeguard.redis.internal.parts to
            io.stampedeguard.filter,
            io.stampedeguard.redlock;
}
