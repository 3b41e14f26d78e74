package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.JsonCodec;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.FaultSource;
import java.math.BigDecimal;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import tools.jackson.core.type.TypeReference;

/** What callers get from Redis is what the loader has returned, or its difference is reported at the first load. */
final class DecodedValuesTest {
    private final List<String> advice = new CopyOnWriteArrayList<>();

    private <V> StampedeGuardedCache<String, V> cache(RedisStore store, String name, ValueCodec<V> codec) {
        return StampedeGuardedCache.<String, V>builder(name)
                .store(store)
                .codec(codec)
                .listener(new CacheListener() {
                    @Override
                    public void onEvent(String cache, CacheEvent event) {
                        if (event instanceof CacheEvent.Advice given) {
                            advice.add(given.type() + ": " + given.words());
                        }
                    }
                })
                .build();
    }

    @Test
    void zoneIsKeptInThisProcessAndInAnother() {
        ZonedDateTime loaded = ZonedDateTime.of(2024, 1, 1, 0, 30, 0, 0, ZoneId.of("Europe/Paris"));
        JsonCodec<ZonedDateTime> codec = JsonCodec.of(ZonedDateTime.class);
        try (RedisStore store = RedisStore.using(SharedRedis.client(), SharedRedis.PATIENT);
                RedisStore other = RedisStore.using(SharedRedis.client(), SharedRedis.PATIENT);
                StampedeGuardedCache<String, ZonedDateTime> here = cache(store, "zones", codec);
                StampedeGuardedCache<String, ZonedDateTime> there = cache(other, "zones", codec)) {
            assertThat(here.get("zone", key -> loaded)).isEqualTo(loaded);
            assertThat(here.get("zone", key -> loaded)).isEqualTo(loaded);
            assertThat(there.get("zone", key -> loaded)).isEqualTo(loaded);
            assertThat(advice).isEmpty();
        }
    }

    @Test
    void numberBehindObjectIsReportedByTheProcessThatLoads() {
        Map<String, Object> loaded = Map.of("price", new BigDecimal("12.3000000000000000001"));
        JsonCodec<Map<String, Object>> codec = JsonCodec.of(new TypeReference<Map<String, Object>>() {});
        try (RedisStore store = RedisStore.using(SharedRedis.client(), SharedRedis.PATIENT);
                StampedeGuardedCache<String, Map<String, Object>> cache = cache(store, "rows", codec)) {
            cache.get("row", key -> loaded);
            cache.get("row", key -> loaded);
            cache.get("other row", key -> loaded);

            assertThat(advice)
                    .singleElement()
                    .asString()
                    .startsWith("ADVICE_VALUE_CHANGED_BY_CODEC: ")
                    .contains("its encoding differs", "key java.lang.String");
            assertThat(cache.faults(FaultSource.CODEC)).isZero();
        }
    }

    record User(long id, String email) {}

    record Order(long id, int total, String status) {}

    @Test
    void twoClassesUnderOneNameNeverMeet() {
        User user = new User(42, "a@example.org");
        Order order = new Order(42, 100, "PAID");
        try (RedisStore store = RedisStore.using(SharedRedis.client(), SharedRedis.PATIENT);
                StampedeGuardedCache<String, User> users = cache(store, "two-classes", JsonCodec.of(User.class));
                StampedeGuardedCache<String, Order> orders = cache(store, "two-classes", JsonCodec.of(Order.class))) {
            for (int turn = 0; turn < 3; turn++) {
                assertThat(users.get("42", id -> user)).isEqualTo(user);
                assertThat(orders.get("42", id -> order)).isEqualTo(order);
            }
            assertThat(orders.getIfPresent("43")).isNull();
        }
    }
}
