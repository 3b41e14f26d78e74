package io.stampedeguard.redis;

import io.stampedeguard.redis.internal.parts.StoreParts;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.UnifiedJedis;

/** The one server of this test JVM, for tests that neither stop nor configure it. Each test uses unique keys. */
public final class SharedRedis {
    /** Longer than any machine is busy. */
    public static final Duration PATIENCE = Duration.ofSeconds(20);

    /** For stores of tests that are not about timeouts: none occurs, however busy the machine is. */
    public static final RedisStoreOptions PATIENT = RedisStoreOptions.builder()
            .commandTimeout(PATIENCE)
            .circuitBreaker(false)
            .build();

    /** For tests of what is beneath the circuit breaker, or which ask a server as soon as it is back. */
    public static final RedisStoreOptions WITHOUT_BREAKER =
            RedisStoreOptions.builder().circuitBreaker(false).build();

    private static final int CONNECTIONS = 8;

    /** Started by the first test that needs it, not by one that only uses the options: its first line is no log line. */
    private static final class Lazy {
        private static final RedisServer SERVER = RedisServer.start();
    }

    private SharedRedis() {}

    public static String uri() {
        return Lazy.SERVER.uri();
    }

    public static RedisClient client() {
        return PlainRedis.connectPatiently(Lazy.SERVER.uri(), CONNECTIONS);
    }

    /** Returns what the modules beside cache-redis use of a store on a client. */
    public static StoreParts parts(UnifiedJedis client, TimeSource time) {
        return StoreParts.of(RedisStore.using(client, PATIENT, time));
    }
}
