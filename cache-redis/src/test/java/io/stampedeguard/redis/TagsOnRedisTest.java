package io.stampedeguard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** {@code invalidateTag} and {@code expireTag} by marks beside the generation, in two processes. */
class TagsOnRedisTest extends TwoProcesses {
    private static final int MOST_MARKS = 10_000;

    @AutoClose
    private static final OwnRedis redis = new OwnRedis();

    @AutoClose
    private static final RedisStore first = RedisStore.connect(redis.uri(), SharedRedis.PATIENT);

    @AutoClose
    private static final RedisStore second = RedisStore.connect(redis.uri(), SharedRedis.PATIENT);

    /** Of a process that begins later. */
    @AutoClose
    private static final RedisStore third = RedisStore.connect(redis.uri(), SharedRedis.PATIENT);

    private final Jedis admin = redis.admin();
    private final RedisKeys keys = new RedisKeys("");
    private final String generation = new String(keys.generation(name), UTF_8);
    private final String marks = new String(keys.marks(name), UTF_8);

    TagsOnRedisTest() {
        super(first, second, POLICY);
    }

    private static Loader<String, String> of(String value, String... tags) {
        return Loader.adaptive((key, previous) -> LoadedValue.of(value).tags(tags));
    }

    private static void put(StampedeGuardedCache<String, String> cache, String key, String... tags) {
        cache.put(key, LoadedValue.of("old").tags(tags));
    }

    @Test
    void processThatDidNotMakeItSeesItWithTheNextRead() {
        for (int round = 0; round < 3; round++) {
            put(a, "k", "a", "b");
            put(a, "other", "b");
            put(a, "plain");
            assertThat(b.getAll(List.of("k", "other", "plain"), wanted -> Map.of())
                            .values())
                    .containsOnly("old");

            a.invalidateTag("a");

            assertThat(b.getIfPresent("other")).isEqualTo("old");
            assertThat(b.get("k", of("new", "a"))).isEqualTo("new");
            assertThat(a.get("k", of("not loaded"))).isEqualTo("new");
            assertThat(b.getIfPresent("plain")).isEqualTo("old");
        }
    }

    @Test
    void manyKeysAreJudgedByMarksOfTheirTags() {
        put(a, "k", "a");
        put(a, "other", "b");
        assertThat(b.getAll(List.of("k", "other"), wanted -> Map.of())).hasSize(2);

        a.invalidateTag("a");

        assertThat(b.getAll(List.of("k", "other"), wanted -> Map.of("k", "new")))
                .containsOnly(Map.entry("k", "new"), Map.entry("other", "old"));
    }

    @Test
    void manyTagsOneAfterTheOtherLeaveOtherEntries() {
        put(a, "k", "last");
        put(a, "other", "b");

        for (int i = 0; i < 1_100; i++) {
            a.invalidateTag("t" + i);
        }
        a.invalidateTag("last");

        assertThat(b.getIfPresent("k")).isNull();
        assertThat(b.getIfPresent("other")).isEqualTo("old");
    }

    @Test
    void expiredEntriesAreServedStaleAndReloaded() {
        put(a, "k", "a");
        put(a, "other", "b");

        a.expireTag("a");

        assertThat(b.get("k", of("new", "a"))).isEqualTo("old");
        Fleet.until(() -> b.get("k", of("new", "a")).equals("new"));
        assertThat(b.get("other", of("new"))).isEqualTo("old");
    }

    @Test
    void itIsOneCommandOfTheCallerHoweverManyEntriesThereAre() {
        put(a, "k", "a");
        a.invalidateTag("a");
        long before = admin.dbSize();
        admin.configResetStat();

        a.invalidateTag("a");

        assertThat(redis.calls())
                .containsEntry("evalsha", 1L)
                .containsEntry("publish", 1L)
                .doesNotContainKey("scan");
        assertThat(admin.dbSize()).isEqualTo(before);
        assertThat(admin.zcard(marks)).isEqualTo(1);
    }

    @Test
    void readersOfAProcessAskOnceForMarksItDoesNotKnow() throws Exception {
        put(a, "k", "a");
        put(a, "other", "b");
        b.getIfPresent("other");
        a.invalidateTag("a");
        admin.configResetStat();

        List<Callers.Call<String>> calls = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            calls.add(callers.call(() -> b.getIfPresent("other")));
        }
        assertThat(Callers.results(calls)).containsOnly("old");
        assertThat(b.getIfPresent("k")).isNull();

        assertThat(redis.calls()).containsEntry("evalsha", 1L);
        admin.configResetStat();
        for (int i = 0; i < 10; i++) {
            assertThat(b.getIfPresent("other")).isEqualTo("old");
        }
        assertThat(redis.calls()).containsOnly(Map.entry("mget", 10L));
    }

    @Test
    void cachesWithoutTagsAskForNoMarks() {
        a.put("k", "old");
        b.getIfPresent("k");
        a.expireAll();
        a.invalidateAll();
        admin.configResetStat();

        assertThat(b.getIfPresent("k")).isNull();
        assertThat(b.get("k", key -> "new")).isEqualTo("new");

        assertThat(redis.calls()).doesNotContainKeys("zscore", "zrevrange", "zrangebyscore");
        assertThat(admin.exists(marks)).isFalse();
    }

    @Test
    void resultOfALoadFromBeforeAnswersNobodyWhoComesLater() throws Exception {
        Callers.Call<String> old = loadingOld("a");
        b.invalidateTag("a");
        Callers.Call<String> joins = callers.call(() -> a.get("k", of("new", "a")));
        Callers.Call<String> waits = callers.call(() -> b.get("k", of("new", "a")));
        Fleet.until(() -> admin.pubsubNumSub("{" + name + ":k}:lease").get("{" + name + ":k}:lease") > 0
                && a.explain("k").waiters() == 1);

        origin.open();

        assertThat(old.result()).isEqualTo("old");
        assertThat(waits.result()).isEqualTo("new");
        assertThat(joins.result()).isEqualTo("new");
        assertThat(a.getIfPresent("k")).isEqualTo("new");
    }

    @Test
    void leasesByPlainCommandsAreOfTheGenerationThatTheyTell() {
        for (int granted = 0; granted < 10; granted++) {
            b.get("before" + granted, of("row", "a"));
        }
        a.invalidateTag("a");
        AtomicInteger loads = new AtomicInteger();
        Loader<String, String> counting = Loader.adaptive((key, previous) ->
                LoadedValue.of("loaded " + loads.incrementAndGet()).tags("a"));

        for (int times = 0; times < 3; times++) {
            for (int i = 0; i < 20; i++) {
                assertThat(b.get("k" + i, counting)).isNotNull();
                assertThat(a.get("k" + i, counting)).isNotNull();
            }
        }

        assertThat(loads).as("each is stored").hasValue(20);
    }

    @Test
    void marksThatAreEvictedCountAsARemovalOfEverythingBefore() {
        put(a, "k", "a");
        put(a, "other", "b");
        b.getIfPresent("other");
        a.invalidateTag("a");
        put(a, "later", "b");

        admin.del(marks);

        assertThat(b.getIfPresent("k")).isNull();
        assertThat(b.getIfPresent("other")).isNull();
        assertThat(b.getIfPresent("later")).isEqualTo("old");
        try (StampedeGuardedCache<String, String> newcomer = cache(third)) {
            assertThat(newcomer.getIfPresent("k")).isNull();
            assertThat(newcomer.getIfPresent("later")).isEqualTo("old");
        }
    }

    @Test
    void oldestOfTooManyMarksCountsAsARemovalOfEverythingBefore() {
        put(a, "k", "x");
        a.invalidateTag("dropped");
        double dropped = admin.zscore(marks, "Rdropped");
        put(a, "later", "y");
        Map<String, Double> others = new HashMap<>();
        for (int i = 1; i < MOST_MARKS; i++) {
            others.put("Rt" + i, dropped + i);
        }
        admin.zadd(marks, others);
        admin.set(generation, "%.0f 0 0 %.0f".formatted(dropped + MOST_MARKS - 1, dropped + MOST_MARKS - 1));
        assertThat(b.getIfPresent("k")).isEqualTo("old");
        put(a, "last", "y");

        a.invalidateTag("new");

        assertThat(admin.zcard(marks)).isEqualTo(MOST_MARKS);
        assertThat(admin.get(generation)).contains(" %.0f 0 ".formatted(dropped));
        assertThat(b.getIfPresent("k")).isNull();
        assertThat(b.getIfPresent("later")).isEqualTo("old");
        assertThat(b.getIfPresent("last")).isEqualTo("old");
    }

    @Test
    void lostMarksAreWrittenBackAndNothingOlderAnswers() {
        put(a, "k", "a");
        put(a, "other", "b");
        byte[] never = admin.dump("{" + name + ":k}");
        a.invalidateTag("a");
        b.getIfPresent("k");

        admin.del(generation, marks, "{" + name + ":k}");
        admin.restore("{" + name + ":k}", 0, never);

        assertThat(b.getIfPresent("k")).isNull();
        Fleet.until(() -> {
            assertThat(b.getIfPresent("k")).isNull();
            return admin.zscore(marks, "Ra") != null && admin.exists(generation);
        });
        try (StampedeGuardedCache<String, String> newcomer = cache(third)) {
            assertThat(newcomer.getIfPresent("k")).isNull();
            assertThat(newcomer.getIfPresent("other")).isEqualTo("old");
        }
    }

    @Test
    void markThatAFailoverHasLostIsWrittenBack() {
        put(a, "k", "a");
        put(a, "other", "b");
        a.invalidateTag("c");
        String before = admin.get(generation);
        a.invalidateTag("a");
        assertThat(b.getIfPresent("k")).isNull();
        long lost = Long.parseLong(admin.get(generation).split(" ")[0]);

        admin.set(generation, before);
        admin.zrem(marks, "Ra");
        Fleet.until(() -> OwnRedis.millis(admin) > lost); // a failover takes longer: the next generation is a later one
        try (StampedeGuardedCache<String, String> newcomer = cache(third)) {
            newcomer.invalidateTag("d");
            Fleet.until(() -> {
                b.getIfPresent("other");
                return newcomer.getIfPresent("k") == null;
            });
            assertThat(newcomer.getIfPresent("other")).isEqualTo("old");
        }
    }

    @Test
    void whatAnotherProgramHasStoredAsTheMarksMeansNothing() {
        admin.set(marks, "text");
        put(a, "k", "a");

        a.invalidateTag("a");

        assertThat(b.getIfPresent("k")).isNull();
        assertThat(admin.zcard(marks)).isEqualTo(1);
    }

    @Test
    void userWithoutTheCommandsTreatsAChangedTagAsChangingAll() {
        admin.aclSetUser("plain", "on", ">pw", "~*", "&*", "+@all", "-zadd", "-zscore", "-zrevrange", "-zrangebyscore");
        try (RedisStore plain =
                        RedisStore.connect(redis.uri().replace("redis://", "redis://plain:pw@"), SharedRedis.PATIENT);
                StampedeGuardedCache<String, String> blind = cache(plain)) {
            put(a, "k", "a");
            put(a, "other", "b");
            assertThat(blind.getIfPresent("k")).isEqualTo("old");

            a.invalidateTag("a");

            assertThat(blind.getIfPresent("k")).isNull();
            assertThat(blind.getIfPresent("other")).isNull();
        } finally {
            admin.aclDelUser("plain");
        }
    }

    @Test
    void nearCachesOfOtherProcessesFollow() {
        try (StampedeGuardedCache<String, String> near = nearCache(second)) {
            put(a, "k", "a");
            put(a, "other", "b");
            Fleet.until(() -> isNear(near, redis));

            a.invalidateTag("a");

            Fleet.until(() -> near.getIfPresent("k") == null);
            assertThat(near.getIfPresent("other")).isEqualTo("old");
        }
    }
}
