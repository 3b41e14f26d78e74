package io.stampedeguard.filter.redis;

import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.ResourceLock;
import redis.clients.jedis.Jedis;

/** The filters of two processes with one name, on a healthy server of the test class, which is empty before each test. */
@ResourceLock("FilterOnOneServer") // which has static fields
abstract class FilterOnOneServer {
    static final int ROWS = 1_000;

    static RedisProcess server;
    static Jedis admin;
    static RedisStore store;
    static RedisStore otherStore;

    final String name = "filter-" + LeaseToken.next();
    final FilterEar ear = new FilterEar();
    final RedisKeyFilter<Long> filter = open(store);
    final RedisKeyFilter<Long> other = open(otherStore);

    @BeforeAll
    static void start() {
        server = RedisServer.startProcess();
        admin = PlainRedis.admin(server.host(), server.port());
        store = RedisStore.connect(server.uri(), SharedRedis.PATIENT);
        otherStore = RedisStore.connect(server.uri(), SharedRedis.PATIENT);
    }

    @AfterEach
    void close() {
        filter.close();
        other.close();
        admin.flushAll();
    }

    @AfterAll
    static void stop() {
        store.close();
        otherStore.close();
        admin.close();
        server.close();
    }

    /** Opens the filter once more, as another process does. */
    final RedisKeyFilter<Long> open(RedisStore on) {
        return RedisKeyFilter.<Long>builder(name, on)
                .expectedKeys(ROWS)
                .listener(ear)
                .build();
    }

    static Stream<Long> rows() {
        return LongStream.rangeClosed(1, ROWS).boxed();
    }
}
