package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.breaker;
import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.BreakerState;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testkit.Fleet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/**
 * What the log says about a Redis that is down, or refuses: the store reports it, however many caches there are. {@code
 * StoreLogTest} has the rules, on a clock of its own.
 */
final class OutageLogTest {
    private static final int ROUNDS = 100;

    /** No timeout, however busy the machine is; with a circuit breaker. */
    private static final RedisStoreOptions OPTIONS =
            SharedRedis.PATIENT.toBuilder().circuitBreaker(true).build();

    @AutoClose
    private final RedisProcess redis = RedisServer.startProcess();

    private static StampedeGuardedCache<String, String> cache(RedisStore store, String name) {
        var builder = textCache(name, store).loader(key -> "row");
        if (name.equals("near")) {
            builder.nearCache(NearCacheOptions.builder().maximumSize(10).build());
        }
        return builder.build();
    }

    /** Each form of {@code get}, of keys that are stored and of others; and a change. */
    private static void ask(StampedeGuardedCache<String, String> cache, int round) {
        assertThat(cache.get("k")).isEqualTo("row");
        assertThat(cache.get("get" + round)).isEqualTo("row");
        assertThat(cache.getAll(List.of("k", "all" + round))).hasSize(2);
        assertThat(cache.getAsync("async" + round, key -> CompletableFuture.completedFuture("row"))
                        .join())
                .isEqualTo("row");
        assertThat(cache.getAllAsync(List.of("k", "both" + round), keys -> Map.of("k", "row", "both" + round, "row"))
                        .join())
                .hasSize(2);
        cache.invalidate("get" + round);
    }

    private static void askAll(RedisStore store, Runnable begin, Runnable end) {
        try (var one = cache(store, "one");
                var two = cache(store, "two");
                var near = cache(store, "near")) {
            var all = List.of(one, two, near);
            all.forEach(each -> each.get("k"));
            begin.run();
            for (int round = 0; round < ROUNDS; round++) {
                for (var each : all) {
                    ask(each, round);
                }
            }
            assertThat(one.faults(FaultSource.STORE)).isGreaterThan(ROUNDS);
            end.run();
        }
    }

    @Test
    void outageIsReportedByTheStoreAndItsCachesAreSilent() {
        LogLines log = LogLines.of(() -> {
            try (RedisStore store = RedisStore.connect(redis.uri(), OPTIONS)) {
                askAll(
                        store,
                        () -> {
                            redis.kill();
                            Fleet.until(() -> breaker(store).breaker() != BreakerState.CLOSED || isFailed(store));
                        },
                        () -> {
                            redis.restart();
                            Fleet.until(() -> breaker(store).breaker() == BreakerState.CLOSED);
                        });
            }
        });

        assertThat(log.only("until it answers promptly again"))
                .contains(
                        "WARN io.stampedeguard.redis.RedisStore",
                        "Redis at 127.0.0.1:" + redis.port() + " does not answer: ",
                        "changes are queued");
        assertThat(log.lines())
                .as("less than one for each cache in ten seconds")
                .hasSizeLessThan(ROUNDS);
        assertThat(log.lines()).noneMatch(line -> line.startsWith("\tat "));
    }

    /** A request, so that the circuit breaker opens. */
    private static boolean isFailed(RedisStore store) {
        try {
            on(store).read("k");
        } catch (RuntimeException e) {
            return breaker(store).breaker() != BreakerState.CLOSED;
        }
        return false;
    }

    @Test
    void refusalIsReportedOnceForAllCachesWithoutAStackTrace() {
        LogLines log = LogLines.of(() -> {
            try (RedisStore store = RedisStore.connect(redis.uri(), OPTIONS);
                    Jedis admin = PlainRedis.admin(redis.uri())) {
                askAll(store, () -> admin.configSet("maxmemory", "1"), () -> admin.configSet("maxmemory", "0"));
            }
        });

        assertThat(log.lines()).anyMatch(line -> line.contains("OOM command not allowed"));
        assertThat(log.lines())
                .filteredOn(line -> line.contains("store fault"))
                .as("one a minute for all caches, not one in ten seconds for each")
                .hasSizeLessThan(ROUNDS);
        assertThat(log.lines()).noneMatch(line -> line.startsWith("\tat "));
    }
}
