package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.Policies.withoutJitter;
import static io.stampedeguard.testkit.ProxiedStore.pass;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.spi.InvalidationEvents;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ProxiedStore;
import io.stampedeguard.testkit.ScriptedStore;
import io.stampedeguard.testkit.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Near hits call nothing outside the process, and are never older than promised. */
final class NearCacheTest {
    private static final CachePolicy POLICY = withoutJitter(ofSeconds(10), ofSeconds(100))
            .failureCoolDown(Duration.ZERO)
            .build();
    private static final CachePolicy LONG_LEASES =
            POLICY.toBuilder().leaseTtl(ofSeconds(100)).build();
    private static final NearCacheOptions NEAR = NearCacheOptions.builder()
            .maximumSize(100)
            .maxStaleness(ofSeconds(2))
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(2, POLICY, NEAR);

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);

    private String get() {
        return fleet.cache(0).get("k", fleet.origin()::read);
    }

    private int reads() {
        return fleet.store().count(ScriptedStore.Call.READ);
    }

    @Test
    void hitDoesNotAskTheStore() {
        get();
        int before = reads();

        for (int i = 0; i < 100; i++) {
            assertThat(get()).isEqualTo("one");
        }

        assertThat(reads()).isEqualTo(before);
        assertThat(fleet.listener().count(AnswerSource.NEAR)).isEqualTo(100);
    }

    @Test
    void whatTheStoreHasIsKeptAfterTheFirstRead() {
        get();
        assertThat(fleet.cache(1).get("k", fleet.origin()::read)).isEqualTo("one");
        int before = reads();

        assertThat(fleet.cache(1).get("k", fleet.origin()::read)).isEqualTo("one");
        assertThat(reads()).isEqualTo(before);
    }

    @Test
    void absentKeysAreKeptToo() {
        fleet.origin().write(null);
        assertThat(get()).isNull();
        int before = reads();

        assertThat(get()).isNull();
        assertThat(reads()).isEqualTo(before);
    }

    @Test
    void invalidationPutAndExpireReachAllProcesses() {
        get();
        fleet.origin().write("two");
        fleet.cache(1).invalidate("k");
        assertThat(get()).isEqualTo("two");

        fleet.cache(1).put("k", "three");
        assertThat(get()).isEqualTo("three");

        fleet.origin().write("four");
        fleet.cache(1).expire("k");
        assertThat(get()).as("stale, and reloaded").isEqualTo("three");
        until(() -> fleet.listener().count(EventType.LOAD_STORED) == 3);
        assertThat(get()).isEqualTo("four");
    }

    @Test
    void valueReadBeforeAnInvalidationDoesNotEnterAfterIt() {
        get();
        fleet.origin().write("two");
        cache.invalidate("other"); // do not remove "k"
        StampedeGuardedCache<String, String> reader = fleet.cache(1);
        fleet.store().after(ScriptedStore.Call.READ, () -> cache.invalidate("k"));

        assertThat(reader.get("k", fleet.origin()::read)).as("read before").isEqualTo("one");
        assertThat(reader.get("k", fleet.origin()::read)).as("asked after").isEqualTo("two");
    }

    @Test
    void valueLoadedBeforeAnInvalidationDoesNotEnterAfterIt() {
        fleet.store().before(ScriptedStore.Call.PUBLISH, () -> {
            fleet.origin().write("two");
            fleet.cache(1).invalidate("k");
        });

        assertThat(get()).isEqualTo("one");
        assertThat(get()).isEqualTo("two");
    }

    @Test
    void copyIsFreshNoLongerThanTheEntry() {
        get();
        fleet.origin().write("two");
        fleet.advance(ofSeconds(6));
        fleet.cache(1).get("k", fleet.origin()::read);
        fleet.advance(ofSeconds(4));
        int before = reads();

        assertThat(fleet.cache(1).get("k", fleet.origin()::read)).as("stale").isEqualTo("one");
        assertThat(reads()).isGreaterThan(before);
    }

    @Test
    void disconnectedNearCacheAnswersNothingUntilItIsConnectedAgain() {
        get();
        fleet.store().cutChanges();
        int before = reads();
        get();
        get();
        assertThat(reads()).isEqualTo(before + 2);

        fleet.store().mendChanges();
        get();
        assertThat(reads()).as("older than the gap").isEqualTo(before + 3);
        get();
        assertThat(reads()).isEqualTo(before + 3);
    }

    @Test
    void entriesOlderThanAGapAreReadAgainOneByOne() {
        for (int i = 0; i < 10; i++) {
            cache.get("k" + i, fleet.origin()::read);
        }
        fleet.store().cutChanges();
        fleet.origin().write("two");
        fleet.cache(1).invalidate("k3");
        fleet.store().mendChanges();
        int before = reads();

        assertThat(reads()).as("nothing is read before it is asked for").isEqualTo(before);
        assertThat(cache.get("k4", fleet.origin()::read)).isEqualTo("one");
        assertThat(cache.get("k3", fleet.origin()::read)).isEqualTo("two");
        assertThat(reads()).isEqualTo(before + 2);
    }

    @Test
    void lostMessagesDoNoHarmForLongerThanTheBound() {
        get();
        fleet.store().loseChanges();
        fleet.origin().write("two");
        fleet.cache(1).invalidate("k");

        fleet.advance(ofMillis(2_000));
        assertThat(get()).as("within the bound").isEqualTo("one");
        fleet.advance(ofMillis(1));
        assertThat(get()).as("beyond the bound").isEqualTo("two");
    }

    @Test
    void nearCacheThatHearsLivesOnForLongerThanTheBound() {
        get();
        int before = reads();
        for (int second = 0; second < 9; second++) {
            fleet.advance(ofSeconds(1));
            get();
        }
        assertThat(reads()).isEqualTo(before);
    }

    @Test
    void storeThatReportsNoChangesIsReadOncePerBound() {
        VirtualTime time = new VirtualTime();
        SharedStore mute = mute(InMemoryStore.create(time));
        try (StampedeGuardedCache<String, String> one = over(mute, time);
                StampedeGuardedCache<String, String> other = over(mute, time)) {
            one.get("k", fleet.origin()::read);
            fleet.origin().write("two");
            other.invalidate("k");

            time.advance(ofMillis(1_999));
            assertThat(one.get("k", fleet.origin()::read)).isEqualTo("one");
            time.advance(ofMillis(1));
            assertThat(one.get("k", fleet.origin()::read)).isEqualTo("two");
        }
    }

    private StampedeGuardedCache<String, String> over(SharedStore store, VirtualTime time) {
        return textCache("mute", store)
                .policy(POLICY)
                .nearCache(NEAR)
                .listener(fleet.listener())
                .timeSource(time)
                .build();
    }

    /** The same store without its other capabilities. */
    private static SharedStore mute(SharedStore store) {
        return ProxiedStore.of(
                (method, arguments) -> method.getName().equals("ability") ? null : pass(store, method, arguments));
    }

    @Test
    void ownInvalidationHoldsThoughTheStoreDoesNotAnswer() {
        get();
        fleet.store().loseAnswers(ScriptedStore.Call.INVALIDATE).loseChanges();
        fleet.origin().write("two");

        cache.invalidate("k");
        assertThat(get()).isEqualTo("two");
    }

    @Test
    void storeDownRecentCopyAnswersEvenIfStaleOnesMayNot() {
        CachePolicy strict =
                POLICY.toBuilder().maxStalenessWhenDisconnected(Duration.ZERO).build();
        try (Fleet down = new Fleet(1, strict, NEAR)) {
            Supplier<String> get = () -> down.cache(0).get("k", down.origin()::read);
            assertThat(get.get()).isEqualTo("one");
            down.store().cutChanges().refuse();
            down.advance(ofSeconds(2));

            assertThat(get.get()).isEqualTo("one");
            assertThat(down.origin().reads()).isEqualTo(1);
            down.advance(ofMillis(1));
            down.origin().write("two");
            assertThat(get.get()).as("too old").isEqualTo("two");
            assertThat(get.get())
                    .as("what was loaded without a lease is kept for as long")
                    .isEqualTo("two");
            assertThat(down.origin().reads()).isEqualTo(2);
            down.advance(ofMillis(2_001));
            down.origin().write("three");
            assertThat(get.get()).isEqualTo("three");
        }
    }

    @Test
    void copyFromATimeWithoutStoreStandsInNobodysWay() {
        get();
        fleet.advance(ofSeconds(1));
        fleet.store().cutChanges().refuse();
        fleet.advance(ofMillis(2_001));
        get(); // loaded without a lease, later than the entry of the store
        fleet.store().heal().mendChanges();
        get();
        int before = reads();

        get();
        assertThat(reads()).isEqualTo(before);
    }

    @Test
    void copyAnswersWhileTheStoreCannotReportChanges() {
        VirtualTime time = new VirtualTime();
        SharedStore store = InMemoryStore.create(time);
        SharedStore silent = ProxiedStore.of((method, arguments) -> {
            boolean isAsked = arguments != null && arguments[0] == InvalidationEvents.class;
            return isAsked ? null : pass(store, method, arguments);
        });
        try (StampedeGuardedCache<String, String> one = over(silent, time)) {
            one.get("k", fleet.origin()::read);
            long near = fleet.listener().count(AnswerSource.NEAR);
            one.get("k", fleet.origin()::read);
            assertThat(fleet.listener().count(AnswerSource.NEAR)).isEqualTo(near + 1);
        }
    }

    /** Loads a key for as long as makes it due after half of its soft TTL. */
    private static void loadSlowly(Fleet fleet) {
        fleet.cache(0).get("k", key -> {
            fleet.advance(POLICY.softTtl().dividedBy(2));
            return fleet.origin().read(key);
        });
    }

    @Test
    void hitsOfADueCopyRequestARefusedLeaseOnce() {
        try (Fleet ahead = new Fleet(1, LONG_LEASES, NEAR)) {
            loadSlowly(ahead);
            ahead.advance(ofMillis(5_000));
            ahead.store().refuse(ScriptedStore.Call.LEASE);
            for (int i = 0; i < 1_000; i++) {
                ahead.cache(0).get("k", ahead.origin()::read);
            }
            until(() -> ahead.cache(0).reloading() == 0);
            assertThat(ahead.store().count(ScriptedStore.Call.LEASE)).isEqualTo(2);
        }
    }

    @Test
    void storeAndOriginDownCopyAnswersUpToItsHardExpiry() {
        get();
        fleet.store().cutChanges().refuse();
        fleet.origin().fail(new IOException("down"));

        fleet.advance(ofMillis(99_999));
        assertThat(get()).isEqualTo("one");
        assertThat(fleet.listener().count(AnswerSource.NEAR_DEGRADED)).isEqualTo(1);
        fleet.advance(ofMillis(1));
        assertThatThrownBy(this::get).isInstanceOf(LoadException.class);
    }

    @Test
    void storeAndOriginDownInvalidatedCopyDoesNotAnswer() {
        get();
        fleet.cache(1).invalidate("k");
        fleet.store().refuse();
        fleet.origin().fail(new IOException("down"));

        assertThatThrownBy(this::get).isInstanceOf(LoadException.class);
    }

    @Test
    void dueCopyIsReloadedInTheBackgroundByOneProcess() {
        try (Fleet ahead = new Fleet(2, LONG_LEASES, NEAR)) {
            loadSlowly(ahead);
            ahead.cache(1).get("k", ahead.origin()::read);
            ahead.advance(ofMillis(5_000));
            ahead.cache(0).get("k", ahead.origin()::read);
            until(() -> ahead.listener().count(EventType.LOAD_STORED) == 2);
            ahead.cache(1).get("k", ahead.origin()::read);
            until(() -> ahead.cache(0).reloading() + ahead.cache(1).reloading() == 0);
            assertThat(ahead.origin().reads())
                    .as("the other process finds the new entry")
                    .isEqualTo(2);

            long offered = ahead.listener().count(EventType.REFRESH_EARLY);
            int asked = ahead.store().count(ScriptedStore.Call.READ);
            ahead.advance(ofMillis(1_999));
            ahead.cache(0).get("k", ahead.origin()::read);
            ahead.cache(1).get("k", ahead.origin()::read);
            assertThat(ahead.listener().count(EventType.REFRESH_EARLY)).isEqualTo(offered);
            assertThat(ahead.store().count(ScriptedStore.Call.READ)).isEqualTo(asked);
        }
    }

    @Test
    void nearCacheHasNoMoreCopiesThanItMay() {
        try (Fleet small =
                new Fleet(1, POLICY, NearCacheOptions.builder().maximumSize(10).build())) {
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < 1_000; i++) {
                    small.cache(0).get("k" + i, small.origin()::read);
                }
            }
            assertThat(small.listener().count(AnswerSource.NEAR)).isLessThan(100);
        }
    }

    @Test
    void absentKeysPushOutNoValue() {
        try (Fleet small =
                new Fleet(1, POLICY, NearCacheOptions.builder().maximumSize(10).build())) {
            for (int i = 0; i < 10; i++) {
                small.cache(0).get("real" + i, small.origin()::read);
            }
            small.origin().write(null);
            for (int i = 0; i < 1_000; i++) {
                small.cache(0).get("nonexistent" + i, small.origin()::read);
            }
            long before = small.listener().count(AnswerSource.NEAR);
            for (int i = 0; i < 10; i++) {
                assertThat(small.cache(0).get("real" + i, small.origin()::read)).isEqualTo("one");
            }
            assertThat(small.listener().count(AnswerSource.NEAR)).isEqualTo(before + 10);
        }
    }

    @Test
    void ofAValueAndAnAbsenceTheNewerOneIsAnswered() {
        get();
        fleet.origin().write(null);
        cache.invalidate("k");
        assertThat(get()).isNull();
        assertThat(get()).isNull();
        fleet.origin().write("two");
        cache.invalidate("k");
        assertThat(get()).isEqualTo("two");
        assertThat(get()).isEqualTo("two");
    }

    @Test
    void boundInBytesCountsLongValuesForMore() {
        try (Fleet small = new Fleet(
                1, POLICY, NearCacheOptions.builder().maximumBytes(1_000).build())) {
            small.origin().write("x".repeat(2_000));
            small.cache(0).get("long", small.origin()::read);
            small.origin().write("short");
            small.cache(0).get("short", small.origin()::read);

            until(() -> {
                long before = small.listener().count(AnswerSource.NEAR);
                small.cache(0).get("long", small.origin()::read);
                return small.listener().count(AnswerSource.NEAR) == before;
            });
            small.cache(0).get("short", small.origin()::read);
            assertThat(small.listener().events()).last().isEqualTo(AnswerSource.NEAR);
        }
    }

    @Test
    void closedCacheHearsNoMoreChanges() {
        assertThat(fleet.store().changeWatches()).isEqualTo(2);
        cache.close();
        assertThat(fleet.store().changeWatches()).isEqualTo(1);
    }

    @Test
    void nullKeyIsRefusedByName() {
        assertThatThrownBy(() -> cache.get(null, fleet.origin()::read))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("fleet");
    }
}
