package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.members;
import static io.stampedeguard.testkit.Policies.exact;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.loader.BulkLoader;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ForwardingTime;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.UnifiedJedis;

/**
 * P1: Redis' clock is set, by more than the TTLs, and one process does not know that yet: each key is loaded once. To this process
 * it makes no difference whether the server's clock has gone ahead, or its own clock has gone back by as much, which the tests do.
 */
final class ClockJumpTest {
    /** Shorter than the known time of the server may be old. */
    private static final Duration JUMP = ofSeconds(25);

    private static final CachePolicy POLICY =
            exact(ofSeconds(10), ofSeconds(20)).build();

    private final String name = "jump-" + UUID.randomUUID();
    private final AtomicInteger loads = new AtomicInteger();
    private final JumpingTime time = new JumpingTime();
    private final UnifiedJedis client = SharedRedis.client();
    private final RedisStore store = RedisStore.using(client, SharedRedis.PATIENT, time);
    private final RedisStore right = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);
    private final List<AutoCloseable> caches = new ArrayList<>();

    /** The machine's clocks, of which the monotonic one, from which the server's is told, jumps. */
    private static final class JumpingTime extends ForwardingTime {
        private volatile long jumpNanos;

        JumpingTime() {
            super(TimeSource.system());
        }

        @Override
        public long monotonicNanos() {
            return super.monotonicNanos() + jumpNanos;
        }
    }

    /** What reads a key. */
    enum Form {
        GET,
        GET_NEAR,
        GET_ALL,
        GET_ASYNC,
        GET_ALL_ASYNC;

        String ask(StampedeGuardedCache<String, String> cache, String key, Function<String, String> load) {
            BulkLoader<String, String> bulk =
                    keys -> keys.stream().collect(Collectors.toMap(Function.identity(), load));
            return switch (this) {
                case GET, GET_NEAR -> cache.get(key, load::apply);
                case GET_ALL -> cache.getAll(Set.of(key, key + "+"), bulk).get(key);
                case GET_ASYNC ->
                    cache.getAsync(key, missing -> CompletableFuture.completedFuture(load.apply(missing)))
                            .join();
                case GET_ALL_ASYNC ->
                    cache.getAllAsync(Set.of(key, key + "+"), bulk).join().get(key);
            };
        }
    }

    private StampedeGuardedCache<String, String> cache(RedisStore on, Form form) {
        StampedeGuardedCacheBuilder<String, String> builder =
                textCache(name, on).policy(POLICY);
        if (form == Form.GET_NEAR) {
            builder.nearCache(NearCacheOptions.builder().maximumSize(100).build());
        }
        StampedeGuardedCache<String, String> cache = builder.build();
        caches.add(cache);
        return cache;
    }

    private String load(String key) {
        if (!key.endsWith("+")) {
            loads.incrementAndGet();
        }
        return key;
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable cache : caches) {
            cache.close();
        }
        store.close();
        client.close();
        right.close();
    }

    /** The process knows the clock well, and its requests for leases are the cheap ones. */
    private void warmUp(StampedeGuardedCache<String, String> cache) {
        for (int i = 0; i < 20; i++) {
            cache.get("warm" + i, key -> key);
        }
    }

    @ForEach
    void aServersClockThatHasGoneAheadCostsNoSecondLoad(Form form) {
        StampedeGuardedCache<String, String> unaware = cache(store, form);
        StampedeGuardedCache<String, String> aware = cache(right, form);
        warmUp(unaware);
        time.jumpNanos -= JUMP.toNanos();

        for (int i = 0; i < 3; i++) {
            String key = "k" + i;
            assertThat(form.ask(unaware, key, this::load)).isEqualTo(key);
            assertThat(form.ask(aware, key, this::load)).isEqualTo(key);
            assertThat(form.ask(unaware, key, this::load)).isEqualTo(key);
        }

        assertThat(loads).hasValue(3);
    }

    @ForEach
    void aServersClockThatWasSetBackCostsNoSecondLoad(Form form) {
        StampedeGuardedCache<String, String> unaware = cache(store, form);
        StampedeGuardedCache<String, String> aware = cache(right, form);
        warmUp(unaware);
        time.jumpNanos += JUMP.toNanos();

        for (int i = 0; i < 3; i++) {
            String key = "k" + i;
            assertThat(form.ask(aware, key, this::load)).isEqualTo(key);
            assertThat(form.ask(unaware, key, this::load)).isEqualTo(key);
            assertThat(form.ask(aware, key, this::load)).isEqualTo(key);
        }

        assertThat(loads).hasValue(3);
    }

    /** Such a one counts no dead process as living for longer than any process lives. */
    @Test
    void aServersClockThatWasSetBackProlongsNoProcess() {
        Duration life = Duration.ofMillis(200);
        try (Jedis admin = PlainRedis.admin(SharedRedis.uri())) {
            List<String> now = admin.time();
            long setBackBy = ofSeconds(3_600).toMillis();
            admin.zadd("{" + name + ":}:members", Long.parseLong(now.get(0)) * 1_000 + setBackBy, "dead");

            assertThat(members(right).beat(name, "living", life).processes()).isEqualTo(2);

            Fleet.until(() -> members(right).beat(name, "living", life).processes() == 1);
        }
    }
}
