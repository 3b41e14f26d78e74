package io.stampedeguard.redis;

import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.RedisClient;

/** Callers that wait for connections, because the pool is too small. */
@Order(3)
class PoolShortageTest {
    private static final int CALLERS = 6;
    private static final Duration A_MOMENT =
            Duration.ofMillis(100); // no connection becomes free while a test waits for one

    private final RedisProcess server = RedisServer.startProcess();
    private final ExecutorService manyCallers = Executors.newCachedThreadPool();
    private final ExecutorService callers = Executors.newFixedThreadPool(CALLERS);

    @AfterEach
    void stop() {
        callers.shutdownNow();
        manyCallers.shutdownNow();
        server.close();
    }

    @Test
    void callersWaitingForConnectionsCauseAdviceWithTheFigures() throws Exception {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        CacheListener listener = new CacheListener() {
            @Override
            public void onEvent(String cache, CacheEvent event) {
                if (event instanceof CacheEvent.Advice advice) {
                    told.add(advice.type() + ": " + advice.words());
                }
            }
        };
        CachePolicy impatient =
                CachePolicy.builder().waitTimeout(Duration.ofSeconds(3)).build();
        try (RedisClient client = PlainRedis.connectPatiently(server.uri(), 1, A_MOMENT);
                RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
                StampedeGuardedCache<String, String> cache = textCache("small", store)
                        .policy(impatient)
                        .listener(listener)
                        .build()) {
            List<Future<String>> calls;
            AtomicInteger loads = new AtomicInteger();
            Connection only = client.getPool().getResource();
            try {
                calls = IntStream.range(0, CALLERS)
                        .mapToObj(caller ->
                                callers.submit(() -> cache.get("k" + caller, key -> "v" + loads.incrementAndGet())))
                        .toList();
                for (Future<String> call : calls) {
                    assertThatThrownBy(call::get).hasCauseInstanceOf(WaitTimeoutException.class);
                }
            } finally {
                only.close();
            }
            assertThat(loads).as("nobody loads without a lease").hasValue(0);
            assertThat(told)
                    .singleElement()
                    .asString()
                    .matches(
                            "ADVICE_STORE_TOO_SMALL: could not .* \\(all connections of the pool are in use: 1; callers that wait for one: \\d\\): .*\\. Raise .*");
            assertThat(cache.get("k0", key -> "v")).isEqualTo("v");
        }
    }

    @Test
    void failureForWantOfAConnectionNamesTheFigures() throws Exception {
        try (RedisClient client = PlainRedis.connectPatiently(server.uri(), 1, A_MOMENT)) {
            RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
            Connection only = client.getPool().getResource();
            try {
                assertThatThrownBy(() -> store.shared().read("small:k", Duration.ZERO))
                        .isInstanceOf(StoreException.class)
                        .hasMessageMatching("could not read 'small:k' \\(all connections of the pool are in use: 1;"
                                + " callers that wait for one: \\d\\): .*");
            } finally {
                only.close();
            }
            assertThat(store.shared().read("small:k", Duration.ZERO)).isNull();
        }
    }

    @Test
    void eachKeyIsLoadedOnceHoweverManyCallersShareFewConnections() throws Exception {
        RedisStoreOptions few =
                SharedRedis.PATIENT.toBuilder().maxConnections(2).build();
        Map<String, AtomicInteger> loads = new ConcurrentHashMap<>();
        Loader<String, String> loader = key -> {
            loads.computeIfAbsent(key, each -> new AtomicInteger()).incrementAndGet();
            Thread.sleep(10);
            return "v";
        };
        List<String> keys = IntStream.range(0, 30).mapToObj(i -> "k" + i).toList();
        CachePolicy patient = CachePolicy.builder()
                .leaseTtl(Duration.ofMinutes(1))
                .waitTimeout(Duration.ofMinutes(1))
                .build();
        List<AutoCloseable> open = new ArrayList<>();
        List<Future<?>> calls = new ArrayList<>();
        for (int process = 0; process < 3; process++) {
            RedisStore store = RedisStore.connect(server.uri(), few);
            StampedeGuardedCache<String, String> cache =
                    textCache("few", store).policy(patient).build();
            open.add(cache);
            open.add(store);
            for (int caller = 0; caller < 16; caller++) {
                List<String> order = new ArrayList<>(keys);
                Collections.shuffle(order, new Random(process * 100 + caller));
                calls.add(manyCallers.submit(() -> order.forEach(key -> cache.get(key, loader))));
            }
        }
        for (Future<?> call : calls) {
            call.get();
        }
        for (AutoCloseable each : open) {
            each.close();
        }
        assertThat(loads.values())
                .hasSize(30)
                .allSatisfy(number -> assertThat(number).hasValue(1));
    }
}
