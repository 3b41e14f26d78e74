package io.stampedeguard;

import static io.stampedeguard.event.OriginState.DEFERRED;
import static io.stampedeguard.event.OriginState.EXTENDED_STALE;
import static io.stampedeguard.event.OriginState.NORMAL;
import static io.stampedeguard.event.OriginState.NO_EARLY_REFRESH;
import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.Policies.withoutJitter;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.OriginState;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.report.PrefetchResult;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An origin under strain is spared loads that nobody waits for: first early ones, then those of stale entries, then all. */
final class OriginStrainTest {
    private static final CachePolicy POLICY =
            withoutJitter(ofSeconds(100), ofSeconds(200)).build();

    private Fleet fleet;
    private int loads;

    @AfterEach
    void close() {
        fleet.close();
    }

    /** Creates a process for which loads of 10 ms are normal. */
    private StampedeGuardedCache<String, String> cache(CachePolicy policy, boolean near) {
        fleet = near
                ? new Fleet(
                        1, policy, NearCacheOptions.builder().maximumSize(1_000).build())
                : new Fleet(1, policy);
        for (int i = 0; i < 50; i++) {
            load(ofMillis(10));
        }
        fleet.advance(ofSeconds(1));
        return fleet.cache(0);
    }

    /** Loads a new key, as a caller that waits for it. */
    private void load(Duration length) {
        String value = "value " + ++loads;
        assertThat(fleet.cache(0).get("key " + loads, taking(length, value))).isEqualTo(value);
    }

    private Loader<String, String> taking(Duration length, String value) {
        return key -> {
            fleet.advance(length);
            return value;
        };
    }

    private OriginState state() {
        return fleet.gauges(0).originState();
    }

    private void strainUntil(OriginState wanted) {
        for (int i = 0; state() != wanted; i++) {
            load(ofMillis(100));
            assertThat(i).isLessThan(200);
        }
    }

    private void recover() {
        for (int i = 0; state() != NORMAL; i++) {
            fleet.advance(ofSeconds(1));
            assertThat(i).isLessThan(30);
        }
    }

    /** Reads a key, from the store and then from the near cache, if there is one; returns whether that has reloaded it. */
    private boolean reloads(String key) {
        int before = fleet.origin().reads();
        for (int i = 0; i < 2; i++) {
            assertThat(fleet.cache(0).get(key, fleet.origin()::read)).isEqualTo("one");
            until(() -> fleet.cache(0).reloading() == 0);
        }
        return fleet.origin().reads() > before;
    }

    private boolean reloadsTogether(String key) {
        int before = fleet.bulkOrigin().calls().size();
        for (int i = 0; i < 2; i++) {
            assertThat(fleet.cache(0).getAll(List.of(key), fleet.bulkOrigin())).containsKey(key);
            until(() -> fleet.cache(0).reloading() == 0);
        }
        return fleet.bulkOrigin().calls().size() > before;
    }

    /** Stores keys as another process whose loads take half of the soft TTL: they are due from then on. */
    private void loadSlowly(String... keys) {
        CachePolicy patient = POLICY.toBuilder()
                .leaseTtl(Duration.ofHours(1))
                .loadTimeout(Duration.ofHours(1))
                .build();
        try (StampedeGuardedCache<String, String> slow =
                fleet.builder("fleet").policy(patient).build()) {
            slow.getAll(List.of(keys), asked -> {
                fleet.advance(POLICY.softTtl().dividedBy(2).multipliedBy(keys.length));
                return asked.stream().collect(Collectors.toMap(key -> key, key -> "one"));
            });
        }
    }

    private void put(String... keys) {
        for (String key : keys) {
            fleet.cache(0).put(key, "one");
        }
    }

    @ForEach
    void earlyRefreshesStopFirst(boolean near) {
        cache(POLICY, near);
        loadSlowly("a", "b", "c", "d");
        fleet.advance(ofSeconds(70));
        assertThat(reloads("a")).isTrue();
        assertThat(reloadsTogether("b")).isTrue();

        strainUntil(NO_EARLY_REFRESH);
        assertThat(reloads("c")).isFalse();
        assertThat(reloadsTogether("d")).isFalse();

        recover();
        assertThat(reloads("c")).isTrue();
        assertThat(reloadsTogether("d")).isTrue();
    }

    @ForEach
    void staleEntriesAreReloadedWhileOnlyEarlyRefreshesStop(boolean near) {
        cache(POLICY, near);
        put("a", "b");
        fleet.advance(ofSeconds(110));
        strainUntil(NO_EARLY_REFRESH);

        assertThat(reloads("a")).isTrue();
        assertThat(reloadsTogether("b")).isTrue();
    }

    @ForEach
    void thenStaleEntriesAreReloadedInTheSecondHalfOnly(boolean near) {
        cache(POLICY, near);
        put("a", "b");
        fleet.advance(ofSeconds(60));
        put("c", "d");
        fleet.advance(ofSeconds(110));
        strainUntil(EXTENDED_STALE);

        assertThat(reloads("c")).isFalse();
        assertThat(reloadsTogether("d")).isFalse();
        assertThat(reloads("a")).isTrue();
        assertThat(reloadsTogether("b")).isTrue();
    }

    @Test
    void entriesThatWereExpiredByACallAreReloadedAllTheSame() {
        StampedeGuardedCache<String, String> cache = cache(POLICY, false);
        put("a", "b");
        strainUntil(EXTENDED_STALE);
        cache.expire("a");
        assertThat(reloads("a")).isTrue();

        strainUntil(DEFERRED);
        cache.expire("b");
        assertThat(reloads("b")).isFalse();
    }

    @Test
    void inAnOutageStaleCopiesAreReloadedInTheSecondHalfOnly() {
        cache(POLICY, true);
        put("a");
        reloads("a");
        fleet.advance(ofSeconds(50));
        put("b");
        reloads("b");
        fleet.advance(ofSeconds(104));
        strainUntil(EXTENDED_STALE);
        fleet.store().cutChanges().refuse();

        assertThat(reloads("b")).isFalse();
        assertThat(reloads("a")).isTrue();
    }

    @ForEach
    void thenNothingIsLoadedThatNobodyWaitsFor(boolean near) {
        cache(POLICY, near);
        put("a", "b");
        fleet.advance(ofSeconds(170));
        strainUntil(DEFERRED);

        assertThat(reloads("a")).isFalse();
        assertThat(reloadsTogether("b")).isFalse();
        assertThat(fleet.listener().count(EventType.REFRESH_DROPPED)).isZero();

        assertThat(reloads("missing")).as("a caller waits for it").isTrue();
        assertThat(reloadsTogether("missing too")).isTrue();
        int before = fleet.origin().reads();
        fleet.cache(0).refresh("a", fleet.origin()::read).join();
        assertThat(fleet.origin().reads()).as("a caller may wait for it").isEqualTo(before + 1);
    }

    @Test
    void reloadThatWasQueuedBeforeIsDropped() throws Exception {
        cache(POLICY.toBuilder().maxConcurrentLoads(2).build(), false);
        put("a", "b");
        fleet.advance(ofSeconds(170));
        fleet.origin().close();
        fleet.cache(0).get("a", fleet.origin()::read);
        until(() -> fleet.origin().running() == 1);
        fleet.cache(0).get("b", fleet.origin()::read); // queued: one thread for half of the permits
        strainUntil(DEFERRED);

        fleet.origin().open();
        until(() -> fleet.cache(0).reloading() == 0);

        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(fleet.listener().count(EventType.REFRESH_DROPPED)).isEqualTo(1);
    }

    @Test
    void prefetchPauses() throws Exception {
        StampedeGuardedCache<String, String> cache = cache(POLICY, false);
        strainUntil(DEFERRED);
        Callers.Call<PrefetchResult> prefetch =
                fleet.callers().call(() -> cache.prefetch(List.of("a"), fleet.bulkOrigin()));
        fleet.time().awaitWaiting(1);
        assertThat(fleet.bulkOrigin().calls()).isEmpty();

        fleet.advanceUntil(prefetch::isOver, ofSeconds(1));

        assertThat(prefetch.result().present()).isEqualTo(1);
        assertThat(state()).isEqualTo(EXTENDED_STALE);
    }

    @Test
    void loadsThatFailCountWithTheTimeUntilThen() {
        StampedeGuardedCache<String, String> cache = cache(POLICY, false);
        for (int i = 0; i < 20; i++) {
            String key = "failing " + i;
            assertThatThrownBy(() -> cache.get(key, same -> {
                        fleet.advance(ofMillis(100));
                        throw new IOException("slow and broken");
                    }))
                    .isInstanceOf(LoadException.class);
        }

        assertThat(state()).isNotEqualTo(NORMAL);
    }

    @Test
    void statesAreReportedInTheirOrder() {
        cache(POLICY, false);
        strainUntil(DEFERRED);
        recover();

        until(() -> fleet.listener().events(OriginState.class).size() == 6);
        assertThat(fleet.listener().events(OriginState.class))
                .containsExactly(NO_EARLY_REFRESH, EXTENDED_STALE, DEFERRED, EXTENDED_STALE, NO_EARLY_REFRESH, NORMAL);
    }

    @ForEach
    void disabledGuardSparesNothing(boolean near) {
        cache(POLICY.toBuilder().originGuard(false).build(), near);
        loadSlowly("early", "stale");
        fleet.advance(ofSeconds(70));
        for (int i = 0; i < 100; i++) {
            load(ofMillis(100));
        }

        assertThat(state()).isEqualTo(NORMAL);
        assertThat(reloads("early")).isTrue();
        fleet.advance(ofSeconds(25));
        assertThat(reloads("stale")).isTrue();
    }
}
