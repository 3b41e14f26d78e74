package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.Policies.withoutJitter;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.report.EntryReport;
import io.stampedeguard.report.KeyReport;
import io.stampedeguard.report.LeaseReport;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import io.stampedeguard.testkit.SetFilter;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The report shows what a caller would get, and requesting it changes nothing. */
final class ExplainTest {
    private static final CachePolicy POLICY = withoutJitter(ofSeconds(10), ofSeconds(60))
            .negativeTtl(ofSeconds(5))
            .leaseTtl(ofSeconds(2))
            .earlyRefresh(0)
            .build();

    @AutoClose
    private final Fleet fleet = Fleet.near(2, POLICY);

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);

    @Test
    void ofAKeyThatNobodyAskedForThereIsNothing() {
        KeyReport report = cache.explain("k");

        assertThat(report)
                .isEqualTo(new KeyReport(
                        "fleet",
                        "k",
                        true,
                        null,
                        null,
                        new EntryReport(EntryReport.State.ABSENT, false, null, null, null, null, null, 0, 0, null),
                        new LeaseReport(LeaseReport.State.FREE, null, null, null, 0, null),
                        null,
                        -1));
        assertThat(report).hasToString("""
                        key 'k' of cache 'fleet'
                          valid:      valid, key filter: no filter
                          near cache: none
                          store:      absent
                          lease:      free
                          waiting:    no load in this process""");
    }

    @Test
    void freshEntryIsToldWithItsAgesAndItsCopy() {
        cache.get("k", key -> {
            fleet.advance(ofMillis(300));
            return "four";
        });
        fleet.advance(ofSeconds(4));
        KeyReport report = cache.explain("k");

        assertThat(report.entry().state()).isEqualTo(EntryReport.State.FRESH);
        EntryReport details = report.entry();
        assertThat(details.age()).isEqualTo(ofSeconds(4));
        assertThat(details.softLeft()).isEqualTo(ofSeconds(6));
        assertThat(details.hardLeft()).isEqualTo(ofSeconds(56));
        assertThat(details.loadTime()).isEqualTo(ofMillis(300));
        assertThat(details.payloadBytes()).isEqualTo(4);
        assertThat(report.copy())
                .isEqualTo(EntryReport.ofCopy(EntryReport.State.FRESH, false, ofSeconds(4), ofSeconds(6)));
        assertThat(report.toString())
                .contains("near cache: fresh, loaded 4.0 s ago, answers for 6.0 s more")
                .contains("fresh, 4 bytes of payload, loaded 4.0 s ago in 300 ms by " + details.publisher())
                .contains("soft expiry in 6.0 s, hard expiry in 56.0 s, kept for 56.0 s");
    }

    @Test
    void staleEntryIsToldAsSuchAndNotReloadedByThat() {
        cache.get("k", key -> "one");
        fleet.advance(ofSeconds(11));
        KeyReport report = cache.explain("k");

        assertThat(report.entry().state()).isEqualTo(EntryReport.State.STALE);
        assertThat(report.entry().softLeft()).isEqualTo(ZERO);
        assertThat(report.copy().state()).isEqualTo(EntryReport.State.STALE);
        assertThat(report.toString()).contains("soft expiry over, hard expiry in 49.0 s");
        assertThat(cache.reloading()).isZero();
        assertThat(fleet.store().count(Call.LEASE)).as("that of the load").isEqualTo(1);
        assertThat(fleet.store().count(Call.READ)).isEqualTo(1);
    }

    @Test
    void entryExpiredByHandIsStale() {
        cache.get("k", key -> "one");
        fleet.cache(1).expire("k");
        KeyReport report = cache.explain("k");

        assertThat(report.entry().state()).isEqualTo(EntryReport.State.STALE);
        assertThat(report.copy().state()).isEqualTo(EntryReport.State.OUTDATED);
        assertThat(report.toString()).contains("near cache: outdated");
    }

    @Test
    void absenceIsToldWhileItIsAnAnswerAndExpiredAfterwards() {
        cache.get("k", key -> null);
        assertThat(cache.explain("k").entry().state()).isEqualTo(EntryReport.State.NEGATIVE);
        assertThat(cache.explain("k").copy().negative()).isTrue();
        assertThat(cache.explain("k").toString()).contains("near cache: fresh, absent, loaded");
    }

    @Test
    void bytesThatAreNoEntryAreDamaged() {
        on(fleet.store()).put("fleet:k", new byte[20], ofSeconds(9));
        KeyReport report = cache.explain("k");

        assertThat(report.entry())
                .isEqualTo(new EntryReport(
                        EntryReport.State.DAMAGED, false, null, null, null, null, null, 0, 20, ofSeconds(9)));
        assertThat(report.toString()).contains("store:      damaged, 20 bytes, kept for 9.0 s");
    }

    @Test
    void leaseIsToldWithItsHolderAndAge() {
        LeaseToken holder = LeaseToken.next();
        on(fleet.store()).lease("fleet:k", holder, null, ofSeconds(2));
        fleet.advance(ofMillis(500));

        LeaseReport lease = cache.explain("k").lease();
        assertThat(lease)
                .isEqualTo(new LeaseReport(
                        LeaseReport.State.HELD, holder.toString(), ofMillis(1_500), ofMillis(500), 0, null));
        assertThat(lease).hasToString("held by " + holder + ", for 1.5 s more, granted or renewed 500 ms ago");
    }

    @Test
    void coolDownIsToldWithItsFailureFitForALog() {
        assertThatThrownBy(() -> cache.get("k", key -> {
                    throw new IllegalStateException("gone\nERROR forged");
                }))
                .isInstanceOf(LoadException.class);
        KeyReport report = cache.explain("k");

        assertThat(report.lease().state()).isEqualTo(LeaseReport.State.COOLING_DOWN);
        assertThat(report.lease().failure()).isEqualTo("java.lang.IllegalStateException: gone\nERROR forged");
        assertThat(report.toString().lines()).hasSize(6);
        assertThat(report.toString())
                .contains("after 1 failed load: 'java.lang.IllegalStateException: gone\\u{a}ERROR");
    }

    @Test
    void thoseWhoWaitHereAreToldUntilTheyGiveUp() throws Exception {
        fleet.origin().close();
        fleet.get(0, "k");
        until(() -> fleet.origin().running() == 1);
        assertThat(cache.explain("k").waiters()).isZero();
        List<Callers.Call<String>> followers = fleet.callers().call(5, () -> cache.get("k", fleet.origin()::read));
        until(() -> cache.explain("k").waiters() == 5);
        assertThat(cache.explain("k").toString()).contains("waiting:    5 callers, for the caller that loads");
        assertThat(fleet.cache(1).explain("k").waiters()).as("elsewhere").isEqualTo(-1);

        followers.get(0).interrupt();
        until(() -> cache.explain("k").waiters() == 4);
        fleet.time().awaitWaiting(4);
        fleet.advance(POLICY.waitTimeout());
        until(() -> cache.explain("k").waiters() == 0);
    }

    @Test
    void storeThatDoesNotAnswerIsAReportAndNoException() {
        cache.get("k", key -> "one");
        fleet.store().refuse();
        KeyReport report = cache.explain("k");

        assertThat(report.entry()).isNull();
        assertThat(report.lease()).isNull();
        assertThat(report.trouble()).isNotBlank();
        assertThat(report.copy().state()).isEqualTo(EntryReport.State.FRESH);
        assertThat(report.toString())
                .contains("store:      no answer: could not INSPECT: refused by the test")
                .contains("lease:      not known");
    }

    @Test
    void whatValidationAndFilterSayIsTold() {
        SetFilter<String> filter = new SetFilter<>(Set.of("there"));
        try (Fleet guarded = new Fleet(
                1, POLICY, with -> with.keyValidator(key -> !key.isEmpty()).keyFilter(filter))) {
            assertThat(guarded.cache(0).explain("there").filter()).isEqualTo(EventType.FILTER_MAYBE);
            assertThat(guarded.cache(0).explain("nonexistent").filter()).isEqualTo(EventType.FILTER_ABSENT);
            assertThat(guarded.cache(0).explain("").valid()).isFalse();
        }
    }

    @Test
    void brokenValidationAndFilterAreToldAndNotCounted() {
        try (Fleet guarded = new Fleet(
                1,
                POLICY,
                with -> with.keyValidator(key -> {
                    throw new IllegalStateException("broken");
                }))) {
            assertThat(guarded.cache(0).explain("k").valid()).isNull();
            assertThat(guarded.cache(0).faults(FaultSource.FILTER)).isZero();
        }
    }
}
