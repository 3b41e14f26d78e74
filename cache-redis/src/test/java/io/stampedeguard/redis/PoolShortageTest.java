package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.event.Advice;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.RedisClient;

/** Callers that wait for connections, since the pool is too small for them. */
class PoolShortageTest {
    private static final int CALLERS = 6;

    private final RedisProcess server = RedisServer.startProcess();
    private final ExecutorService callers = Executors.newFixedThreadPool(CALLERS);

    @AfterEach
    void stop() {
        callers.shutdownNow();
        server.close();
    }

    @Test
    void callersOfACacheThatWaitForConnectionsAreToldOfWithTheFigures() throws Exception {
        RedisStoreOptions options = RedisStoreOptions.builder()
                .commandTimeout(Duration.ofSeconds(2))
                .borrowTimeout(Duration.ofMillis(300))
                .maxConnections(1)
                .build();
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        CacheListener listener = new CacheListener() {
            @Override
            public void onAdvice(String cache, Advice advice, String words) {
                told.add(advice + ": " + words);
            }
        };
        try (RedisStore store = RedisStore.connect(server.uri(), options);
                StampedeGuardedCache<String, String> cache = StampedeGuardedCache.<String, String>builder("small")
                        .store(store)
                        .codec(StringCodec.utf8())
                        .listener(listener)
                        .build()) {
            assertThat(store.shortage()).isNull();
            server.pause();
            List<Future<String>> calls = IntStream.range(0, CALLERS)
                    .mapToObj(caller -> callers.submit(() -> cache.get("k" + caller, key -> "v")))
                    .toList();

            assertThat(told.poll(20, TimeUnit.SECONDS))
                    .matches(
                            "STORE_TOO_SMALL: all connections of the pool are in use: 1; callers that wait for one: \\d\\. .*");

            for (Future<String> call : calls) {
                assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo("v");
            }
            assertThat(told).as("told once").isEmpty();
        }
    }

    @Test
    void callersOfAClientOfOnesOwnAreSeenToWait() throws Exception {
        try (RedisClient client = PlainRedis.connect(server.uri(), 1)) {
            RedisStore store = RedisStore.using(client);
            assertThat(store.shortage()).isNull();
            Future<byte[]> waits;
            Connection only = client.getPool().getResource();
            try {
                waits = callers.submit(() -> store.read("small:k"));
                Fleet.until(() -> "all connections of the pool are in use: 1; callers that wait for one: 1"
                        .equals(store.shortage()));
            } finally {
                only.close();
            }
            assertThat(waits.get(20, TimeUnit.SECONDS)).isNull();
            assertThat(store.shortage()).isNull();
        }
    }
}
