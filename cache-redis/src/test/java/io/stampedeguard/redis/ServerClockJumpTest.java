package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.members;
import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.Policies.exact;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.RecentLoadFailureException;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.redis.ClockJumpTest.Form;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * P1: the server's clock is set, ahead or back, by more than all TTLs. What it has stored ends by the new clock at once, and one
 * process knows only the old clock.
 */
final class ServerClockJumpTest {
    private static final Duration LONG = ofMinutes(1);

    @AutoClose
    private static final SettableServer server = new SettableServer();

    private final String name = "jump-" + UUID.randomUUID();
    private final AtomicInteger loads = new AtomicInteger();
    private final List<AutoCloseable> open = new ArrayList<>();
    private final Callers callers = new Callers();

    @AfterEach
    void close() throws Exception {
        callers.close();
        Collections.reverse(open);
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    /** How the clock is set; before its last step, the second process connects, if there are several. */
    enum Jump {
        AHEAD(25),
        BACK(-25),
        AHEAD_AND_BACK(25, -25),
        BACK_AND_AHEAD(-25, 25);

        private final int[] seconds;

        Jump(int... seconds) {
            this.seconds = seconds;
        }

        void begin() {
            server.setAhead(ofSeconds(seconds[0]));
        }

        void end() {
            for (int i = 1; i < seconds.length; i++) {
                server.setAhead(ofSeconds(seconds[i]));
            }
        }
    }

    private RedisStore store() {
        RedisStore store = RedisStore.connect(server.uri(), SharedRedis.PATIENT);
        open.add(store);
        return store;
    }

    private StampedeGuardedCache<String, String> cache() {
        return cache(store(), Form.GET);
    }

    /** Returns the cache of a process that knows the clock well: its requests for leases are the cheap ones. */
    private StampedeGuardedCache<String, String> cache(RedisStore store, Form form) {
        StampedeGuardedCacheBuilder<String, String> builder = textCache(name, store)
                .policy(exact(ofSeconds(10), ofSeconds(20))
                        .waitTimeout(ofSeconds(20))
                        .failureCoolDown(ofMillis(500))
                        .build());
        if (form == Form.GET_NEAR) {
            builder.nearCache(NearCacheOptions.builder().maximumSize(100).build());
        }
        StampedeGuardedCache<String, String> cache = builder.build();
        open.add(cache);
        String warm = "warm-" + UUID.randomUUID();
        for (int i = 0; i < 5; i++) {
            cache.get(warm + i, key -> key);
        }
        return cache;
    }

    private String load(String key) {
        if (!key.endsWith("+")) {
            loads.incrementAndGet();
        }
        return key;
    }

    /** That what is set here is the clock: by requests, and within scripts. */
    @Test
    void theServerAnswersTheTimeAsItWasSet() {
        RedisStore unaware = store();
        StampedeGuardedCache<String, String> cache = cache(unaware, Form.GET);
        long before = unaware.shared().currentTimeMillis();
        server.setAhead(ofHours(1));

        assertThat(store().shared().currentTimeMillis()).isGreaterThanOrEqualTo(before + LONG.toMillis() * 60);
        assertThat(unaware.shared().currentTimeMillis()).isLessThan(before + LONG.toMillis() * 60);
        cache.get("k", key -> key);
        assertThat(unaware.shared().currentTimeMillis()).isGreaterThanOrEqualTo(before + LONG.toMillis() * 60);

        server.setAhead(ofHours(-1));
        assertThat(store().shared().currentTimeMillis()).isLessThan(before + LONG.toMillis() * 60);
    }

    static Stream<Arguments> formsAndJumps() {
        return Stream.of(Form.values())
                .flatMap(form -> Stream.of(Jump.values())
                        .flatMap(jump -> Stream.of(true, false).map(unaware -> Arguments.of(form, jump, unaware))));
    }

    @ParameterizedTest
    @MethodSource("formsAndJumps")
    void eachKeyIsLoadedOnceAfterTheJump(Form form, Jump jump, boolean isUnawareFirst) {
        StampedeGuardedCache<String, String> unaware = cache(store(), form);
        jump.begin();
        StampedeGuardedCache<String, String> another = cache(store(), form);
        jump.end();

        for (int i = 0; i < 3; i++) {
            String key = "k" + i;
            for (int turn = 0; turn < 2; turn++) {
                assertThat(form.ask(isUnawareFirst ? unaware : another, key, this::load))
                        .isEqualTo(key);
                assertThat(form.ask(isUnawareFirst ? another : unaware, key, this::load))
                        .isEqualTo(key);
            }
        }

        assertThat(loads).hasValue(3);
    }

    @ParameterizedTest
    @MethodSource("formsAndJumps")
    void anEntryFromBeforeTheJumpIsLoadedOnceMoreAtMost(Form form, Jump jump, boolean isUnawareFirst) {
        StampedeGuardedCache<String, String> unaware = cache(store(), form);
        form.ask(unaware, "k", this::load);
        jump.begin();
        StampedeGuardedCache<String, String> another = cache(store(), form);
        jump.end();

        for (int turn = 0; turn < 3; turn++) {
            form.ask(isUnawareFirst ? unaware : another, "k", this::load);
            form.ask(isUnawareFirst ? another : unaware, "k", this::load);
        }

        assertThat(loads).hasValueLessThanOrEqualTo(jump == Jump.BACK ? 1 : 2);
    }

    @Test
    void leaseHeldWhenTheClockIsSetBackIsWaitedFor() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        StampedeGuardedCache<String, String> one = cache();
        StampedeGuardedCache<String, String> other = cache();
        Callers.Call<String> leader = callers.call(() -> one.get("k", gated(gate, "one")));
        Fleet.until(() -> loads.get() == 1);

        server.setAhead(ofHours(-1));
        Callers.Call<String> follower = callers.call(() -> other.get("k", this::load));
        gate.countDown();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(follower.result()).isEqualTo("one");
        assertThat(loads).hasValue(1);
    }

    /** The server itself ends all leases; those who load then are fenced. */
    @Test
    void jumpAheadCostsOneMoreLoadAndFencesTheLeaseHolder() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        StampedeGuardedCache<String, String> one = cache();
        StampedeGuardedCache<String, String> other = cache();
        Callers.Call<String> leader = callers.call(() -> one.get("k", gated(gate, "one")));
        Fleet.until(() -> loads.get() == 1);

        server.setAhead(ofHours(1));
        assertThat(other.get("k", key -> load("two"))).isEqualTo("two");
        gate.countDown();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(one.get("k", this::load)).isEqualTo("two");
        assertThat(other.get("k", this::load)).isEqualTo("two");
        assertThat(loads).hasValue(2);
    }

    private Loader<String, String> gated(CountDownLatch gate, String row) {
        return key -> {
            load(key);
            gate.await();
            return row;
        };
    }

    @Test
    void aDeadLeadersLeaseIsNotProlonged() throws Exception {
        StampedeGuardedCache<String, String> one = cache();
        StampedeGuardedCache<String, String> other = cache();
        on(store()).lease(name + ":k", LeaseToken.next(), null, ofMillis(500));
        server.setAhead(ofHours(-1));

        Callers.Call<String> first = callers.call(() -> one.get("k", this::load));
        Callers.Call<String> second = callers.call(() -> other.get("k", this::load));

        assertThat(first.result()).isEqualTo("k");
        assertThat(second.result()).isEqualTo("k");
        assertThat(loads).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void aCoolDownIsNotProlongedAndEndsInOneLoad(int hours) {
        StampedeGuardedCache<String, String> one = cache();
        StampedeGuardedCache<String, String> other = cache();
        assertThatThrownBy(() -> one.get("k", key -> {
                    load(key);
                    throw new IOException("so the test wants it");
                }))
                .isInstanceOf(LoadException.class);

        server.setAhead(ofHours(hours));

        Fleet.until(() -> isLoaded(other));
        Fleet.until(() -> isLoaded(one));
        assertThat(loads).hasValue(2);
    }

    private boolean isLoaded(StampedeGuardedCache<String, String> cache) {
        try {
            return cache.get("k", this::load).equals("k");
        } catch (RecentLoadFailureException cooling) {
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void theMarkOfAnUnstoredResultIsNotProlonged(int hours) {
        RedisStore store = store();
        String key = name + ":k";
        LeaseToken token = LeaseToken.next();
        on(store).lease(key, token, null, LONG);
        on(store).pass(key, token, new LeaseEnd.Pass(null, ofMillis(500), false, List.of()));

        server.setAhead(ofHours(hours));

        Fleet.until(() -> on(store).lease(key, LeaseToken.next(), null, LONG) instanceof LeaseAttempt.Granted);
    }

    /** By a clock that is ahead of that by which it was stamped, an entry may be too old: then its key is loaded, once. */
    @ForEach
    void putAfterTheJumpIsStoredAndLoadedOnceAtMost(Jump jump) {
        StampedeGuardedCache<String, String> unaware = cache();
        RedisStore store = store();
        jump.begin();
        StampedeGuardedCache<String, String> another = cache();
        jump.end();

        unaware.put("k", "k");
        another.put("l", "l");

        assertThat(on(store).readAll(List.of(name + ":k", name + ":l"))).doesNotContainValue(null);
        for (int turn = 0; turn < 2; turn++) {
            for (StampedeGuardedCache<String, String> each : List.of(another, unaware)) {
                assertThat(each.get("k", this::load)).isEqualTo("k");
                assertThat(each.get("l", this::load)).isEqualTo("l");
            }
        }
        boolean isAheadAtLast = jump == Jump.AHEAD || jump == Jump.BACK_AND_AHEAD;
        assertThat(loads).hasValueLessThanOrEqualTo(isAheadAtLast ? 1 : 0);
    }

    @Test
    void aDeadProcessIsNotCountedForLongerThanTheOthersLive() {
        RedisStore store = store();
        members(store).beat(name, "dead", LONG);
        server.setAhead(ofHours(-1));

        assertThat(members(store).beat(name, "living", ofMinutes(2)).processes())
                .isEqualTo(2);
        server.setAhead(LONG);
        assertThat(members(store).beat(name, "living", ofMinutes(10)).processes())
                .isEqualTo(2);
        server.setAhead(LONG);
        assertThat(members(store).beat(name, "living", ofMinutes(10)).processes())
                .isEqualTo(1);
    }

    @Test
    void processExpiredByTheClockCountsAgainWithItsNextBeat() {
        RedisStore store = store();
        members(store).beat(name, "one", LONG);
        server.setAhead(ofHours(1));

        assertThat(members(store).beat(name, "two", LONG).processes()).isEqualTo(1);
        assertThat(members(store).beat(name, "one", LONG).processes()).isEqualTo(2);
    }
}
