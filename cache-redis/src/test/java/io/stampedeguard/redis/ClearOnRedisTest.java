package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.ProxiedStore.pass;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.entry.KeyFence;
import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.Fence;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Marks;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.LookupResult;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ProxiedStore;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

/** {@code invalidateAll} and {@code expireAll} by a generation that is read along with the entries, in two processes. */
class ClearOnRedisTest extends TwoProcesses {
    private static final int GRANTS_BEFORE_PLAIN_COMMANDS = 8;

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
    private final byte[] generation = new RedisKeys("").generation(name);
    private final AtomicInteger loads = new AtomicInteger();

    ClearOnRedisTest() {
        super(first, second, POLICY);
    }

    private String load(String key) {
        loads.incrementAndGet();
        return "loaded " + loads;
    }

    @ForEach
    void processThatDidNotMakeItSeesItWithTheNextRead(CallForm form) {
        List<String> keys = IntStream.range(0, 20).mapToObj(i -> form + "-" + i).toList();
        form.ask(b, keys, key -> "old");
        for (int round = 0; round < 3; round++) {
            String row = "new" + round;
            a.invalidateAll();

            assertThat(form.ask(b, keys, key -> row).values()).hasSize(20).containsOnly(row);
            assertThat(form.ask(a, keys, key -> "not loaded").values()).containsOnly(row);
        }
    }

    @Test
    void itIsOneCommandOfTheCallerHoweverManyEntriesThereAre() {
        a.invalidateAll();
        List<String> keys = IntStream.range(0, 500).mapToObj(i -> "k" + i).toList();
        CallForm.GET_ALL.ask(a, keys, key -> "row");
        long before = admin.dbSize();
        admin.configResetStat();

        a.invalidateAll();

        assertThat(redis.calls())
                .containsOnly(
                        Map.entry("evalsha", 1L),
                        Map.entry("time", 1L),
                        Map.entry("getrange", 1L),
                        Map.entry("set", 1L),
                        Map.entry("publish", 1L));
        assertThat(admin.dbSize()).isEqualTo(before);
        assertThat(admin.ttl(generation)).as("it lives on").isEqualTo(-1);
    }

    @Test
    void hitIsOneCommandBeforeAndAfterwards() {
        a.put("k", "row");
        for (int round = 0; round < 2; round++) {
            admin.configResetStat();
            for (int i = 0; i < 10; i++) {
                assertThat(b.getIfPresent("k")).isEqualTo("row");
            }
            assertThat(redis.calls()).containsOnly(Map.entry("mget", 10L));

            a.invalidateAll();
            assertThat(b.getIfPresent("k")).isNull();
            a.put("k", "row");
        }
    }

    @Test
    void expiredEntriesAreServedStaleAndReloaded() {
        a.put("k", "old");

        a.expireAll();

        assertThat(b.get("k", this::load)).isEqualTo("old");
        Fleet.until(() -> b.get("k", this::load).equals("loaded 1"));
        assertThat(loads).hasValue(1);
        assertThat(a.get("k", this::load)).isEqualTo("loaded 1");
    }

    @Test
    void nobodyWaitsForALoadFromBeforeOrIsAnsweredByIt() throws Exception {
        Callers.Call<String> old = loadingOld();

        b.invalidateAll();

        assertThat(b.get("k", key -> "new")).isEqualTo("new");
        origin.open();
        assertThat(old.result()).isEqualTo("old");
        assertThat(a.get("k", this::load)).isEqualTo("new");
        assertThat(b.get("k", this::load)).isEqualTo("new");
    }

    @Test
    void followerOfALoadFromBeforeLoadsTheNewValue() throws Exception {
        Callers.Call<String> old = loadingOld();
        Callers.Call<String> waits = callers.call(() -> b.get("k", key -> "new"));
        Fleet.until(() -> admin.pubsubNumSub("{" + name + ":k}:lease").get("{" + name + ":k}:lease") > 0);

        a.invalidateAll();
        origin.open();

        assertThat(old.result()).isEqualTo("old");
        assertThat(waits.result()).isEqualTo("new");
    }

    @Test
    void leasesByPlainCommandsAreOfTheGenerationThatTheyTell() {
        for (int granted = 0; granted < GRANTS_BEFORE_PLAIN_COMMANDS; granted++) {
            b.get("before" + granted, this::load);
        }
        a.invalidateAll();
        loads.set(0);

        for (int times = 0; times < 3; times++) {
            for (int i = 0; i < 20; i++) {
                String key = "k" + i;
                assertThat(b.get(key, this::load)).isNotNull();
                assertThat(a.get(key, this::load)).isNotNull();
            }
        }

        assertThat(loads).as("each is stored").hasValue(20);
    }

    @Test
    void putIsThereThoughItsProcessHasNotHeard() {
        b.put("k", "first");
        a.invalidateAll();

        b.put("k", "second");

        assertThat(a.getIfPresent("k")).isEqualTo("second");
        assertThat(b.getIfPresent("k")).isEqualTo("second");
        a.invalidateAll();
        assertThat(b.getIfPresent("k")).isNull();
    }

    @ForEach
    void putBoundToALookUpFromBeforeIsRefused(boolean removes) {
        LookupResult.Fence ofNothing = b.lookup("nothing").fence();
        b.put("k", "row");
        LookupResult.Fence ofValue = b.lookup("k").fence();

        if (removes) {
            a.invalidateAll();
        } else {
            a.expireAll();
        }

        assertThat(b.put("nothing", "late", ofNothing)).isFalse();
        assertThat(b.put("k", "late", ofValue)).isFalse();
        assertThat(b.put("nothing", "new", b.lookup("nothing").fence())).isTrue();
        assertThat(a.getIfPresent("nothing")).isEqualTo("new");
        assertThat(b.put("nothing", "newer", b.lookup("nothing").fence())).isTrue();
    }

    @Test
    void entryThatIsNotModifiedGetsTheStampOfItsCheck() {
        Loader<String, String> unchanged = Loader.adaptive((key, previous) -> {
            loads.incrementAndGet();
            return previous == null ? LoadedValue.of("row") : LoadedValue.notModified();
        });
        a.get("k", unchanged);
        a.expireAll();

        assertThat(b.get("k", unchanged)).isEqualTo("row");
        Fleet.until(() -> loads.get() == 2);
        Fleet.until(() -> {
            int before = loads.get();
            return "row".equals(a.get("k", unchanged)) && loads.get() == before;
        });
        assertThat(loads).hasValueLessThanOrEqualTo(3);
    }

    @Test
    void valueFromBeforeDoesNotComeBackAsNotModified() {
        a.put("k", "old");
        a.expire("k");
        AtomicReference<Runnable> once = new AtomicReference<>(a::invalidateAll);
        List<String> previous = new CopyOnWriteArrayList<>();
        Loader<String, String> unchanged = Loader.adaptive((key, before) -> {
            previous.add(String.valueOf(before));
            return before == null ? LoadedValue.of("new") : LoadedValue.notModified();
        });
        try (StampedeGuardedCache<String, String> between = cache(
                beforeLeases(second.shared(), () -> once.getAndSet(() -> {}).run()))) {
            assertThat(between.get("k", unchanged)).as("and reloads").isEqualTo("old");

            Fleet.until(() -> "new".equals(between.getIfPresent("k")));
        }
        assertThat(previous).containsExactly("null");
    }

    /** Returns a store that runs something before each request for leases. */
    private static SharedStore beforeLeases(SharedStore store, Runnable task) {
        return ProxiedStore.of((method, arguments) -> {
            if (method.getName().equals("lease")) {
                task.run();
            }
            return pass(store, method, arguments);
        });
    }

    @Test
    void lostGenerationIsWrittenBackAndNothingOlderAnswers() {
        a.put("k", "old");
        byte[] never = admin.dump(new RedisKeys("").value(name + ":k"));
        a.invalidateAll();
        b.getIfPresent("k");
        byte[] known = admin.get(generation);

        admin.del(generation);
        admin.del(new RedisKeys("").value(name + ":k"));
        admin.restore(new RedisKeys("").value(name + ":k"), 0, never);

        assertThat(b.getIfPresent("k")).isNull();
        Fleet.until(() -> {
            assertThat(b.getIfPresent("k")).isNull();
            return Arrays.equals(known, admin.get(generation));
        });
        try (StampedeGuardedCache<String, String> newcomer = cache(third)) {
            assertThat(newcomer.getIfPresent("k")).isNull();
        }
    }

    @Test
    void fenceOfAnEntryWithoutAStampEndsAsWell() {
        LeaseToken token = LeaseToken.next();
        ByteBuffer unstamped = ByteBuffer.allocate(100).put(token.toBytes()).put(new byte[] {'S', 'G', 2});
        Arrays.fill(unstamped.array(), unstamped.position(), 100, (byte) -1); // what a stamp would be is high
        admin.set(new RedisKeys("").value(name + ":k"), unstamped.array());
        KeyFence fence = new KeyFence(name + ":k", Entry.fence(token, 0));

        a.invalidateAll();

        assertThat(on(first).put(entry(LeaseToken.next()), LONG, fence)).isFalse();
        assertThat(admin.get(new RedisKeys("").value(name + ":k"))).isEqualTo(unstamped.array());
    }

    private static byte[] entry(LeaseToken token) {
        ByteBuffer payload = ByteBuffer.wrap("row".getBytes(UTF_8));
        long now = System.currentTimeMillis();
        long end = now + LONG.toMillis();
        return new Entry(token, false, now, end, end, 1, StringCodec.of().identity(), payload, 0, List.of()).encode();
    }

    @Test
    void whatIsPutIsThereThoughRedisKnowsALowerGeneration() {
        a.invalidateAll();

        admin.set(new String(generation, UTF_8), "5 5 0");
        a.put("k", "row");

        assertThat(a.getIfPresent("k")).isEqualTo("row");
    }

    @Test
    void leasesAndFencesThatAreGivenBeforeItIsWrittenBackStay() {
        String one = name + ":1";
        String two = name + ":2";
        String three = name + ":3";
        LeaseToken token = LeaseToken.next();
        a.invalidateAll();
        for (int round = 0; round < 3; round++) {
            byte[] known = admin.getDel(generation);
            KeyFence fence = null;
            switch (round) {
                case 0 -> on(first).lease(one, token, null, LONG);
                case 1 ->
                    on(first)
                            .leaseAll(
                                    List.of(new LeaseRequest(two, token, null), new LeaseRequest(one, token, null)),
                                    LONG);
                default ->
                    fence = new KeyFence(
                            three,
                            new Fence(((LeaseAttempt.Fence) on(first).fence(three, null, LONG)).token(), null, 0));
            }
            Fleet.until(() -> {
                a.getIfPresent("other"); // asks whether it is lost
                return Arrays.equals(known, admin.get(generation));
            });

            switch (round) {
                case 0 ->
                    assertThat(on(first).publish(one, token, entry(token), LONG))
                            .isTrue();
                case 1 ->
                    assertThat(on(first).publish(two, token, entry(token), LONG))
                            .isTrue();
                default ->
                    assertThat(on(first).put(entry(token), LONG, requireNonNull(fence)))
                            .isTrue();
            }
        }
    }

    @Test
    void generationRisesThoughTheServersClockIsBehind() {
        admin.set(new String(generation, UTF_8), "9000000000000 9000000000000 0");
        a.put("k", "row");
        assertThat(b.getIfPresent("k")).isEqualTo("row");

        a.invalidateAll();

        assertThat(admin.get(generation)).asString().isEqualTo("9000000000001 9000000000001 0");
        assertThat(b.getIfPresent("k")).isNull();
    }

    @Test
    void whatAnotherProgramHasStoredAsTheGenerationMeansNothing() {
        admin.sadd(generation, new byte[] {1});
        a.put("k", "row");
        assertThat(b.getIfPresent("k")).isEqualTo("row");

        a.invalidateAll();

        assertThat(b.getIfPresent("k")).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "9999999999999999 9999999999999999 0",
                "1 9000000000000 0",
                "1 0 9000000000000",
                "123456789012345678901234567890 0 0",
                "1 2",
                "1 2 3 4 5",
                "-1 -1 -1",
                "one two three",
                "\0"
            })
    void valuesAreStoredAndClearedWhateverIsStoredAsTheGeneration(String stored) {
        admin.set(new String(generation, UTF_8), stored);
        a.put("put", "row");
        assertThat(a.get("loaded", this::load)).isEqualTo("loaded 1");
        for (StampedeGuardedCache<String, String> each : List.of(a, b)) {
            assertThat(each.getIfPresent("put")).isEqualTo("row");
            assertThat(each.get("loaded", this::load)).isEqualTo("loaded 1");
        }

        for (int times = 0; times < 2; times++) {
            a.invalidateAll();

            assertThat(b.getIfPresent("put")).isNull();
            assertThat(b.getIfPresent("loaded")).isNull();
            assertThat(admin.get(generation)).asString().matches("\\d{1,14} \\d{1,14} 0|\\d+ \\d+ 9000000000000");
            a.put("put", "row");
            assertThat(b.getIfPresent("put")).isEqualTo("row");
        }
    }

    @Test
    void whatAProcessHasRaisedIsMadeUpForOnce() {
        admin.set(new String(generation, UTF_8), "9000000000000 0 0");
        a.put("k", "old");
        Marks.of(first.shared().ability(Marks.Keeper.class), name).raise(true, Set.of(), 8_000_000_000_000L);
        Change.OfAll again = new Change.OfAll(new Change.Invalidate(), Set.of(), true);

        first.shared().change(name, again, LONG);
        assertThat(admin.get(generation)).asString().isEqualTo("9000000000001 9000000000001 0");
        assertThat(b.getIfPresent("k")).isNull();

        b.put("k", "new");
        first.shared().change(name, again, LONG);
        assertThat(admin.get(generation)).asString().isEqualTo("9000000000001 9000000000001 0");
        assertThat(a.getIfPresent("k")).isEqualTo("new");
    }

    @Test
    void nearCachesOfOtherProcessesFollow() {
        try (StampedeGuardedCache<String, String> near = nearCache(second)) {
            a.put("k", "old");
            Fleet.until(() -> isNear(near, redis));

            a.invalidateAll();

            Fleet.until(() -> near.getIfPresent("k") == null);
        }
    }

    @Test
    void readOfAnyKeyOutdatesCopiesThoughNoMessageArrives() {
        try (StampedeGuardedCache<String, String> near = nearCache(second)) {
            a.put("k", "old");
            Fleet.until(() -> isNear(near, redis));

            admin.set(new String(generation, UTF_8), "9000000000000 9000000000000 0");

            assertThat(near.getIfPresent("other")).isNull();
            assertThat(near.getIfPresent("k")).isNull();
        }
    }

    @Test
    void cachesOnOneStoreReadEntriesWithTheirOwnGenerations() {
        String other = name + "-other";
        try (StampedeGuardedCache<String, String> beside =
                textCache(other, first).build()) {
            beside.put("k", "other's");
            a.put("k", "row");
            byte[] raw = on(first).read(name + ":k");
            assertThat(LeaseToken.startOf(raw)).isNotNull();

            a.invalidateAll();

            assertThat(on(first).readAll(List.of(name + ":k", other + ":k"))).hasSize(2);
            assertThat(beside.getIfPresent("k")).isEqualTo("other's");
            assertThat(a.getIfPresent("k")).isNull();
        }
    }
}
