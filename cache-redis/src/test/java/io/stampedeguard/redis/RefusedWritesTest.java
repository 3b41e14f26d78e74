package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.changes;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testkit.ChangesEar;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;

/** While Redis answers reads and refuses writes, each key is loaded once, as while it is down, and what others change is noticed. */
final class RefusedWritesTest {
    @AutoClose
    private final OwnRedis redis = new OwnRedis();

    private final Jedis admin = redis.admin();
    private final AtomicInteger loads = new AtomicInteger();
    private volatile String row = "row";
    private TimeSource time = TimeSource.system();
    private RedisStore store;
    private RedisStore free;
    private StampedeGuardedCache<String, String> cache;
    private StampedeGuardedCache<String, String> other;

    /** Those in which another process can change something: a full server removes, and other users have other rights. */
    static Stream<Arguments> refusalsForOne() {
        return Stream.of(WriteRefusal.OOM, WriteRefusal.NOPERM)
                .flatMap(refusal -> Stream.of(Arguments.of(refusal, false), Arguments.of(refusal, true)));
    }

    private void open(boolean near) {
        admin.aclSetUser("free", "on", ">geheim", "~*", "&*", "+@all");
        store = RedisStore.connect(redis.uri(), SharedRedis.PATIENT);
        free = RedisStore.connect(
                "redis://free:geheim@127.0.0.1:" + redis.server().port(), SharedRedis.PATIENT);
        cache = cache(store, near);
        other = cache(free, false);
    }

    private StampedeGuardedCache<String, String> cache(RedisStore on, boolean near) {
        StampedeGuardedCacheBuilder<String, String> builder =
                textCache("refused", on).timeSource(time);
        if (near) {
            builder.nearCache(NearCacheOptions.builder().maximumSize(1_000).build());
        }
        return builder.build();
    }

    @AfterEach
    void close() {
        if (store != null) {
            cache.close();
            other.close();
            store.close();
            free.close();
        }
    }

    private String load(String key) {
        loads.incrementAndGet();
        return row;
    }

    private String get(String key) {
        return cache.get(key, this::load);
    }

    @ForEach
    void tenKeysAreLoadedTenTimes(WriteRefusal refusal, CallForm form, boolean near) {
        open(near);
        refusal.begin(admin);
        ChangesEar ear = new ChangesEar();
        changes(store).watchChanges("ear", List.of(ear));

        form.assertEachIsLoadedOnce(cache, this::load, loads, ear);
    }

    @ForEach
    void afterwardsTheKeyIsStored(WriteRefusal refusal, boolean near) {
        open(near);
        refusal.begin(admin);
        assertThat(get("k")).isEqualTo("row");

        refusal.end(admin);

        Fleet.until(() -> get("k").equals("row") && other.getIfPresent("k") != null);
    }

    @ForEach
    void aRefusedClearHoldsHereAndRedisIsReadNevertheless(WriteRefusal refusal, boolean near) {
        time = new PatientTime(Duration.ZERO); // stands still: no copy is too old, however long the machine stalls
        open(near);
        assertThat(get("k")).isEqualTo("row");
        refusal.begin(admin);
        row = "two";

        cache.invalidateAll();

        assertThat(get("k")).isEqualTo("two");
        long reads = redis.calls("mget");
        assertThat(cache.getIfPresent("missing")).isNull();
        assertThat(redis.calls("mget")).isGreaterThan(reads);
        assertThat(get("k")).isEqualTo("two");
        assertThat(loads).as("what is loaded is kept").hasValue(2);

        refusal.end(admin);
        Fleet.until(() -> !"row".equals(other.getIfPresent("k")));
        assertThat(get("k")).isEqualTo("two");
    }

    @ForEach
    void afterARefusedExpiryOfAllRedisStillAnswers(WriteRefusal refusal, boolean near) {
        open(near);
        assertThat(other.get("k", this::load)).isEqualTo("row");
        refusal.begin(admin);
        row = "two";

        cache.expireAll();

        assertThat(get("k")).as("stale").isEqualTo("row");
        refusal.end(admin);
        Fleet.until(() -> get("k").equals("two"));
    }

    @ParameterizedTest
    @MethodSource("refusalsForOne")
    void aRemovalByAnotherProcessEndsIt(WriteRefusal refusal, boolean near) {
        open(near);
        refusal.begin(admin);
        assertThat(get("k")).isEqualTo("row");
        row = "two";

        other.invalidate("k");

        Fleet.until(() -> get("k").equals("two"));
    }

    @ForEach
    void anEntryThatAppearsReplacesIt(WriteRefusal refusal, boolean near) {
        open(near);
        refusal.begin(admin);
        assertThat(get("k")).isEqualTo("row");

        if (refusal != WriteRefusal.NOPERM) { // then the other process may write
            refusal.end(admin);
        }
        other.put("k", "put");

        Fleet.until(() -> get("k").equals("put"));
    }

    /** The value of a refused {@code put} may be dropped, but nothing older is served here, and the removal is not lost. */
    @ForEach
    void aRefusedPutIsNotLost(WriteRefusal refusal, boolean near) {
        open(near);
        assertThat(get("k")).isEqualTo("row");
        refusal.begin(admin);
        row = "two";

        cache.put("k", "two");

        for (int i = 0; i < 10; i++) {
            assertThat(get("k")).isEqualTo("two");
        }
        refusal.end(admin);
        Fleet.until(() -> other.get("k", this::load).equals("two"));
        assertThat(get("k")).isEqualTo("two");
    }
}
