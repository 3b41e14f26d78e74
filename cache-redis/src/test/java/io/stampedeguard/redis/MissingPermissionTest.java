package io.stampedeguard.redis;

import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.RecentLoadFailureException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.RecordingListener;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

/**
 * Whatever permission a user of Redis lacks, a process loads a key once per soft TTL, and once more where a refused publication
 * is how it learns of the lack; each fault names the command.
 */
final class MissingPermissionTest {
    private static final int GETS = 10;
    private static final int ENOUGH_GRANTS_FOR_PLAIN_COMMANDS = 8;
    private static final CachePolicy POLICY =
            CachePolicy.builder().failureCoolDown(Duration.ofMinutes(1)).build();

    /** Without the messages of changes, which may be late on a machine that stalls, values are kept for two seconds only. */
    private static final long CERTAIN_NANOS = Duration.ofSeconds(2).toNanos();

    @AutoClose
    private static final OwnRedis redis = new OwnRedis();

    private static final Jedis admin = redis.admin();

    private final RecordingListener listener = new RecordingListener();
    private final AtomicInteger loads = new AtomicInteger();

    /** A command that the scripts or the reads of a cache call. */
    private enum Missing {
        GET,
        MGET,
        GETRANGE,
        STRLEN,
        PTTL,
        SET,
        SETRANGE,
        PEXPIRE,
        DEL,
        PING,
        PUBLISH,
        EVAL,
        EVALSHA
    }

    @AfterEach
    void empty() {
        admin.flushAll();
        admin.scriptFlush();
    }

    private RedisStore without(Missing command) {
        admin.aclSetUser("app", "reset", "on", ">pw", "~*", "&*", "+@all", "-" + command);
        return RedisStore.connect(redis.uri().replace("//", "//app:pw@"), SharedRedis.PATIENT);
    }

    private StampedeGuardedCache<String, String> cache(RedisStore store) {
        return textCache("acl", store).policy(POLICY).listener(listener).build();
    }

    private String load(String key) {
        loads.incrementAndGet();
        return "row of " + key;
    }

    private void getTenTimes(StampedeGuardedCache<String, String> cache, String key) {
        for (int i = 0; i < GETS; i++) {
            assertThat(cache.get(key, this::load)).isEqualTo("row of " + key);
        }
    }

    /** A round with other keys, which proves nothing if it takes too long. */
    private interface Round {
        void run(String key);
    }

    private void eachIsLoadedAtMost(int times, Round round) {
        AtomicInteger rounds = new AtomicInteger();
        Fleet.until(() -> {
            loads.set(0);
            long began = System.nanoTime();
            round.run("k" + rounds.incrementAndGet());
            if (System.nanoTime() - began >= CERTAIN_NANOS) {
                return false;
            }
            assertThat(loads).hasValueLessThanOrEqualTo(times);
            return true;
        });
    }

    private void assertFaultsName(Missing command) {
        assertThat(listener.faults())
                .allSatisfy(fault ->
                        assertThat(fault.getMessage().toUpperCase(Locale.ROOT)).contains(command.name()));
    }

    @ForEach
    void tenGetsLoadAKeyOnceOrTwice(Missing command) {
        try (RedisStore store = without(command);
                StampedeGuardedCache<String, String> cache = cache(store)) {
            eachIsLoadedAtMost(2, key -> getTenTimes(cache, key));
            eachIsLoadedAtMost(1, key -> getTenTimes(cache, key));
        }
        assertFaultsName(command);
    }

    @ParameterizedTest
    @EnumSource(names = {"MGET", "SET", "DEL", "EVAL", "EVALSHA"})
    void aGetThatNeedsTheCommandReportsAFaultThatNamesIt(Missing command) {
        try (RedisStore store = without(command);
                StampedeGuardedCache<String, String> cache = cache(store)) {
            assertThat(cache.get("k", this::load)).isEqualTo("row of k");
            assertThat(cache.get("k", this::load)).isEqualTo("row of k");
        }
        assertThat(listener.faults()).isNotEmpty();
        assertFaultsName(command);
    }

    /** It reads the head of the stale entry, which a hit or a cold miss does not. */
    @Test
    void aReloadThatNeedsGetrangeReportsAFaultThatNamesIt() {
        try (RedisStore store = without(Missing.GETRANGE);
                StampedeGuardedCache<String, String> cache = cache(store)) {
            cache.put("k", "row of k");
            cache.expire("k");

            assertThat(cache.get("k", this::load)).isEqualTo("row of k");

            Fleet.until(() -> !listener.faults().isEmpty());
        }
        assertFaultsName(Missing.GETRANGE);
    }

    @ForEach
    void aPutIsReadAndNotLoaded(Missing command) {
        try (RedisStore store = without(command);
                StampedeGuardedCache<String, String> cache = cache(store)) {
            eachIsLoadedAtMost(2, key -> {
                cache.put(key, "row of " + key);
                getTenTimes(cache, key);
            });
        }
        assertFaultsName(command);
    }

    @Test
    void aPutAfterAChangeOfAllEntriesOverwritesNothingInPlace() {
        try (RedisStore store = without(Missing.SETRANGE);
                StampedeGuardedCache<String, String> cache = cache(store)) {
            cache.invalidateAll();

            cache.put("k", "row");

            assertThat(cache.getIfPresent("k")).isEqualTo("row");
        }
        assertThat(listener.faults()).isEmpty();
    }

    @ForEach
    void aFailingLoaderCoolsDown(Missing command) {
        try (RedisStore store = without(command);
                StampedeGuardedCache<String, String> cache = cache(store)) {
            eachIsLoadedAtMost(1, key -> {
                for (int i = 0; i < GETS; i++) {
                    CacheException failure = catchThrowableOfType(
                            CacheException.class,
                            () -> cache.get(key, each -> {
                                loads.incrementAndGet();
                                throw new IOException("down");
                            }));
                    assertThat(failure).isInstanceOf(i == 0 ? LoadException.class : RecentLoadFailureException.class);
                }
            });
        }
        assertFaultsName(command);
    }

    /** A store is not opened without {@code TIME}: the user loses it afterwards. What was refused has left no lease behind. */
    @ParameterizedTest
    @ValueSource(ints = {1, ENOUGH_GRANTS_FOR_PLAIN_COMMANDS})
    void withoutTimeNoLeaseIsLeftToBeWaitedFor(int grants) {
        admin.aclSetUser("app", "reset", "on", ">pw", "~*", "&*", "+@all");
        try (RedisStore store = RedisStore.connect(redis.uri().replace("//", "//app:pw@"), SharedRedis.PATIENT);
                StampedeGuardedCache<String, String> cache = cache(store)) {
            for (int i = 0; i < grants; i++) {
                cache.get("before" + i, this::load);
            }
            admin.aclSetUser("app", "-time");
            admin.configResetStat();
            AtomicInteger gets = new AtomicInteger();

            eachIsLoadedAtMost(2, key -> {
                getTenTimes(cache, key);
                gets.addAndGet(GETS);
            });
            eachIsLoadedAtMost(2, key -> {
                cache.getAll(List.of(key, key + "'"), keys -> keys.stream().collect(toMap(each -> each, this::load)));
                gets.incrementAndGet();
            });

            long scripts = redis.calls("evalsha");
            assertThat(scripts)
                    .as("a lease that was left behind is requested without end")
                    .isLessThan(20L * gets.get());
        }
        assertThat(listener.faults()).isNotEmpty();
    }

    /** What is stored is fresh again, although the cheap way of storing it is refused. */
    @ParameterizedTest
    @EnumSource(names = {"STRLEN", "SETRANGE", "PEXPIRE"})
    void aValueThatIsNotModifiedIsStoredAsAWhole(Missing command) {
        Loader<String, String> loader = Loader.adaptive((key, previous) -> {
            loads.incrementAndGet();
            return previous == null ? LoadedValue.of("row") : LoadedValue.notModified();
        });
        try (RedisStore store = without(command);
                StampedeGuardedCache<String, String> cache = cache(store);
                RedisStore another = RedisStore.connect(redis.uri(), SharedRedis.PATIENT);
                StampedeGuardedCache<String, String> other = cache(another)) {
            assertThat(other.get("k", loader)).isEqualTo("row");
            other.expire("k");
            assertThat(cache.get("k", loader)).isEqualTo("row");

            Fleet.until(() -> {
                long fresh = listener.count(AnswerSource.STORE);
                assertThat(cache.get("k", loader)).isEqualTo("row");
                return listener.count(AnswerSource.STORE) > fresh;
            });
            assertThat(loads).as("one, and one reload").hasValue(2);
        }
        assertThat(listener.faults()).isNotEmpty();
        assertFaultsName(command);
    }
}
