package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.Policies.withoutJitter;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import java.io.IOException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Between soft and hard TTL no caller waits, and one reload runs in the background. */
final class StaleWhileRevalidateTest {
    private static final CachePolicy POLICY =
            withoutJitter(ofSeconds(10), ofSeconds(20)).maxConcurrentLoads(2).build();

    @AutoClose
    private final Fleet fleet = new Fleet(2, POLICY);

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);

    @Test
    void staleValueAnswersAtOnceWhileTheFleetReloadsOnce() {
        cache.get("k", fleet.origin()::read);
        fleet.origin().write("two");
        fleet.advance(ofSeconds(10));
        fleet.origin().close();

        for (int i = 0; i < 100; i++) {
            assertThat(fleet.cache(i % 2).get("k", fleet.origin()::read)).isEqualTo("one");
        }
        until(() -> fleet.origin().running() == 1 && fleet.listener().count(EventType.LEASE_HELD) >= 1);
        fleet.origin().open();
        until(() -> fleet.listener().count(EventType.LOAD_STORED) == 2);

        assertThat(cache.get("k", fleet.origin()::read)).isEqualTo("two");
        assertThat(fleet.origin().reads()).isEqualTo(2);
        assertThat(fleet.origin().mostAtOnce()).isEqualTo(1);
    }

    @Test
    void policyWithoutStaleValuesServesNoneOfAnOlderPolicy() {
        CachePolicy never = POLICY.toBuilder().hardTtl(POLICY.softTtl()).build();
        try (StampedeGuardedCache<String, String> strict =
                fleet.builder("fleet").policy(never).build()) {
            cache.get("k", fleet.origin()::read);
            fleet.origin().write("two");
            fleet.advance(ofSeconds(10));

            assertThat(strict.get("k", fleet.origin()::read)).isEqualTo("two");
        }
    }

    @Test
    void staleKeyIsQueuedOnceHoweverOftenItIsRead() {
        cache.get("k", fleet.origin()::read);
        fleet.advance(ofSeconds(10));
        fleet.origin().close();

        for (int i = 0; i < 1_000; i++) {
            cache.get("k", fleet.origin()::read);
        }

        assertThat(fleet.listener().count(EventType.REFRESH_QUEUED)).isEqualTo(1);
    }

    @Test
    void callersDoNotWaitForAReloadWithoutAPermit() throws Exception {
        cache.get("k", fleet.origin()::read);
        fleet.advance(ofSeconds(10));
        fleet.origin().close();
        Callers.Call<String> one = fleet.get(0, "a");
        Callers.Call<String> other = fleet.get(0, "b");
        until(() -> fleet.origin().running() == 2);

        cache.get("k", fleet.origin()::read);
        until(() -> fleet.listener().count(EventType.REFRESH_DROPPED) == 1);
        until(() -> cache.reloading() == 0);
        fleet.origin().open();
        one.result();
        other.result();
        until(() -> fleet.listener().count(EventType.LOAD_STORED) == 3); // the second of them may be published later
        fleet.advance(ofSeconds(10));

        assertThat(fleet.get(0, "k").result()).isEqualTo("one");
        assertThat(fleet.listener().count(EventType.LOAD_STORED)).isEqualTo(4);
    }

    @Test
    void failingReloadLeavesTheStaleValueInServiceUntilTheHardTtl() {
        CachePolicy impatient = POLICY.toBuilder().failureCoolDown(ZERO).build();
        try (Fleet failing = new Fleet(1, impatient)) {
            failing.cache(0).get("k", failing.origin()::read);
            failing.origin().fail(new IOException("origin is down"));
            for (int second = 10; second < 20; second++) {
                failing.advance(second == 10 ? ofSeconds(10) : ofSeconds(1));
                long failedBefore = failing.listener().count(FaultSource.LOADER);
                assertThat(failing.cache(0).get("k", failing.origin()::read)).isEqualTo("one");
                until(() -> failing.listener().count(FaultSource.LOADER) == failedBefore + 1
                        && failing.cache(0).reloading() == 0);
            }
            failing.advance(ofSeconds(1));

            assertThatThrownBy(() -> failing.cache(0).get("k", failing.origin()::read))
                    .isInstanceOf(LoadException.class)
                    .hasRootCauseMessage("origin is down");
            assertThat(failing.cache(0).faults(FaultSource.LOADER)).isEqualTo(10);
        }
    }

    @Test
    void expiredByHandIsServedOnceMoreAndReloaded() {
        cache.get("k", fleet.origin()::read);
        fleet.origin().write("two");

        fleet.cache(1).expire("k");

        assertThat(cache.get("k", fleet.origin()::read)).isEqualTo("one");
        until(() -> fleet.listener().count(EventType.LOAD_STORED) == 2);
        assertThat(cache.get("k", fleet.origin()::read)).isEqualTo("two");
    }

    @Test
    void expireUnderAPolicyThatNeverServesStaleRemoves() {
        try (Fleet strict =
                new Fleet(1, POLICY.toBuilder().hardTtl(POLICY.softTtl()).build())) {
            strict.cache(0).get("k", strict.origin()::read);
            strict.origin().write("two");

            strict.cache(0).expire("k");

            assertThat(strict.cache(0).get("k", strict.origin()::read)).isEqualTo("two");
        }
    }

    @Test
    void absenceExpiredByHandIsAskedAgainAtOnce() {
        fleet.origin().write(null);
        assertThat(cache.get("k", fleet.origin()::read)).isNull();
        fleet.origin().write("created");

        fleet.cache(1).expire("k");

        assertThat(cache.get("k", fleet.origin()::read)).isEqualTo("created");
    }

    @Test
    void reloadsThatFindNoRoomAreDroppedAndCounted() {
        int keys = 1_200;
        for (int i = 0; i < keys; i++) {
            cache.put("k" + i, "v");
        }
        fleet.advance(ofSeconds(10));
        fleet.origin().close();

        for (int i = 0; i < keys; i++) {
            assertThat(cache.get("k" + i, fleet.origin()::read)).isEqualTo("v");
        }

        long dropped = fleet.listener().count(EventType.REFRESH_DROPPED);
        assertThat(dropped).as("one runs, 1,024 wait").isBetween(keys - 1_026L, keys - 1_024L);
        assertThat(fleet.listener().count(EventType.REFRESH_QUEUED)).isEqualTo(keys - dropped);
        assertThat(fleet.origin().mostAtOnce()).isLessThanOrEqualTo(1);
    }

    @Test
    void callerWithNothingToShowJoinsTheReloadThatRuns() throws Exception {
        try (Fleet brief =
                new Fleet(1, POLICY.toBuilder().hardTtl(ofSeconds(11)).build())) {
            brief.cache(0).get("k", brief.origin()::read);
            brief.origin().write("two");
            brief.advance(ofMillis(10_500));
            brief.origin().close();
            brief.cache(0).get("k", brief.origin()::read);
            until(() -> brief.origin().running() == 1);
            brief.advance(ofMillis(500));

            Callers.Call<String> caller = brief.get(0, "k");
            brief.time().awaitWaiting(1);
            brief.origin().open();

            assertThat(caller.result()).isEqualTo("two");
            assertThat(brief.origin().reads()).isEqualTo(2);
        }
    }
}
