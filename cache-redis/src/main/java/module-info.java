/** The shared store on Redis, through Jedis. */
module io.stampedeguard.redis {
    requires transitive io.stampedeguard.core;
    requires io.github.resilience4j.circuitbreaker;
    requires transitive redis.clients.jedis;
    requires org.apache.commons.pool2;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.stampedeguard.redis;
}
