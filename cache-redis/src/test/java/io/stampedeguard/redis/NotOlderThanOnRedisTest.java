package io.stampedeguard.redis;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.Origin;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.params.SetParams;

/** Reads with a bound on age, in two processes on a real server, with and without near caches. */
final class NotOlderThanOnRedisTest {
    private static final int CALLERS = 8;

    /** Longer than a test. */
    private static final Duration BOUND = Duration.ofHours(1);

    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(BOUND.multipliedBy(10))
            .hardTtl(BOUND.multipliedBy(20))
            .waitTimeout(Duration.ofMinutes(2))
            .build();

    private final String name = "not-older-" + UUID.randomUUID();
    private final RedisStore first = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);
    private final RedisStore second = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);
    private final UnifiedJedis admin = SharedRedis.client();
    private final Origin origin = new Origin("one");
    private final Callers callers = new Callers();

    @AfterEach
    void close() {
        origin.open();
        callers.close();
        first.close();
        second.close();
        admin.close();
    }

    private StampedeGuardedCache<String, String> cache(RedisStore store, boolean near) {
        StampedeGuardedCacheBuilder<String, String> builder =
                textCache(name, store).policy(POLICY).loader(origin::read);
        return near
                ? builder.nearCache(NearCacheOptions.builder().maximumSize(10).build())
                        .build()
                : builder.build();
    }

    /** Makes the stored entry so old that its age is twice the bound. */
    private void age() {
        byte[] redisKey = new RedisKeys("").value(name + ":k");
        Entry young = requireNonNull(Entry.decode(admin.get(redisKey)));
        Entry old = new Entry(
                young.token(),
                young.negative(),
                young.createdMillis() - BOUND.multipliedBy(2).toMillis(),
                young.softExpiryMillis(),
                young.hardExpiryMillis(),
                young.loadMillis(),
                young.codec(),
                young.payload(),
                young.stamp(),
                young.knownTags());
        admin.set(redisKey, old.encode(), SetParams.setParams().keepTtl());
    }

    @ForEach
    void oneOfManyCallersReloadsAnEntryThatIsTooOld(boolean near) throws Exception {
        try (StampedeGuardedCache<String, String> a = cache(first, near);
                StampedeGuardedCache<String, String> b = cache(second, near)) {
            a.put("k", "one");
            age();
            assertThat(Stream.of(a.get("k"), b.get("k"))).containsOnly("one");
            origin.write("two");
            origin.close();

            List<Callers.Call<String>> bounded = Stream.of(a, b)
                    .flatMap(cache -> Stream.generate(() -> cache).limit(CALLERS))
                    .map(cache -> callers.call(() -> cache.getNotOlderThan("k", BOUND)))
                    .toList();
            List<Callers.Call<String>> futures = Stream.of(a, b)
                    .map(cache -> callers.call(() -> Callers.result(cache.getNotOlderThanAsync("k", BOUND))))
                    .toList();
            until(() -> origin.running() == 1
                    && a.explain("k").waiters() == CALLERS
                    && b.explain("k").waiters() == CALLERS);
            assertThat(a.get("k")).as("without a bound").isEqualTo("one");
            origin.open();

            for (Callers.Call<String> call :
                    Stream.concat(bounded.stream(), futures.stream()).toList()) {
                assertThat(call.result()).isEqualTo("two");
            }
            assertThat(origin.reads()).isEqualTo(1);
            assertThat(Stream.of(a, b).map(cache -> cache.getNotOlderThan("k", BOUND)))
                    .containsOnly("two");
            assertThat(Stream.of(a, b).map(cache -> cache.get("k")))
                    .as("also without a bound")
                    .containsOnly("two");
            assertThat(origin.reads()).isEqualTo(1);
        }
    }

    @ForEach
    void youngerEntryOfAnotherProcessIsAnAnswer(boolean near) throws Exception {
        try (StampedeGuardedCache<String, String> a = cache(first, near);
                StampedeGuardedCache<String, String> b = cache(second, near)) {
            a.put("k", "one");
            age();
            assertThat(b.get("k")).isEqualTo("one");
            origin.write("two");
            assertThat(Callers.result(a.refresh("k"))).isEqualTo("two");
            origin.write("three");

            assertThat(b.getNotOlderThan("k", BOUND)).isEqualTo("two");
            assertThat(Callers.result(b.getNotOlderThanAsync("k", BOUND))).isEqualTo("two");
            assertThat(b.get("k")).as("a copy in its process").isEqualTo("two");
            assertThat(origin.reads()).isEqualTo(1);
        }
    }

    @ForEach
    void zeroIsPastEverythingThatAnotherProcessHasStored(boolean near) throws Exception {
        try (StampedeGuardedCache<String, String> a = cache(first, near);
                StampedeGuardedCache<String, String> b = cache(second, near)) {
            a.put("k", "put");
            assertThat(b.get("k")).isEqualTo("put");

            assertThat(b.getNotOlderThan("k", Duration.ZERO)).isEqualTo("one");
            assertThat(Callers.result(a.getNotOlderThanAsync("k", Duration.ZERO)))
                    .isEqualTo("one");
            assertThat(origin.reads()).isEqualTo(2);
        }
    }
}
