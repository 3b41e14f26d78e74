package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.Policies.withoutJitter;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.RecentLoadFailureException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.io.IOException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** After a failed load no process of the fleet tries again at once. */
final class CoolDownTest {
    private static final CachePolicy POLICY = withoutJitter(ofSeconds(10), ofSeconds(60))
            .failureCoolDown(ofMillis(200))
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(3, POLICY);

    @Test
    void nobodyInTheFleetLoadsDuringTheCoolDown() {
        fleet.origin().fail(new IOException("connection refused"));
        assertThatThrownBy(() -> get(0)).isInstanceOf(LoadException.class);

        for (int process = 0; process < 3; process++) {
            int asked = process;
            RecentLoadFailureException recent =
                    catchThrowableOfType(RecentLoadFailureException.class, () -> get(asked));
            assertThat(recent)
                    .hasMessage("the load of 'fleet:k' failed recently, and is not retried for 200 ms:"
                            + " java.io.IOException: connection refused");
            assertThat(recent.failureType()).isEqualTo("java.io.IOException");
            assertThat(recent.failureMessage()).isEqualTo("connection refused");
            assertThat(recent.retryAfter()).isEqualTo(ofMillis(200));
        }
        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(fleet.listener().count(EventType.LEASE_COOLING)).isEqualTo(3);
    }

    @Test
    void coolDownDoublesUpToItsMaximumUntilASuccess() {
        fleet.origin().fail(new IOException("down"));
        for (int millis : new int[] {200, 400, 800, 1_600, 3_200, 5_000, 5_000}) {
            assertThatThrownBy(() -> get(0)).isInstanceOf(LoadException.class);
            fleet.advance(ofMillis(millis - 1));
            assertThatThrownBy(() -> get(1)).isInstanceOf(RecentLoadFailureException.class);
            fleet.advance(ofMillis(1));
        }
        fleet.origin().fail(null);
        assertThat(get(2)).isEqualTo("one");

        fleet.advance(POLICY.hardTtl());
        fleet.origin().fail(new IOException("down again"));
        assertThatThrownBy(() -> get(0)).isInstanceOf(LoadException.class);
        fleet.advance(ofMillis(200));
        assertThatThrownBy(() -> get(0)).as("begins anew").isInstanceOf(LoadException.class);
    }

    @Test
    void duringTheCoolDownAStaleValueIsServedWithFewRequests() {
        get(0);
        fleet.origin().fail(new IOException("down"));
        fleet.advance(ofSeconds(10));
        assertThat(get(0)).isEqualTo("one");
        until(() -> fleet.listener().count(FaultSource.LOADER) == 1);
        until(() -> {
            get(0);
            return fleet.listener().count(EventType.LEASE_COOLING) == 1;
        });
        until(() -> fleet.cache(0).reloading() == 0);
        int asked = fleet.store().count(Call.LEASE);

        for (int i = 0; i < 1_000; i++) {
            assertThat(get(0)).isEqualTo("one");
        }
        assertThat(fleet.store().count(Call.LEASE)).isEqualTo(asked);
        assertThat(fleet.origin().reads()).isEqualTo(2);

        fleet.advance(ofMillis(200));
        get(0);
        until(() -> fleet.origin().reads() == 3);
    }

    @Test
    void staleValueIsReloadedWhenExpireEndsTheCoolDown() {
        get(0);
        fleet.origin().fail(new IOException("down"));
        fleet.advance(ofSeconds(10));
        until(() -> {
            get(0);
            return fleet.listener().count(EventType.LEASE_COOLING) == 1;
        });
        fleet.origin().fail(null);

        until(() -> {
            fleet.cache(0).expire("k");
            get(0);
            return fleet.origin().reads() > 2;
        });
    }

    @ForEach
    void whoWaitsInAnotherProcessIsToldOfTheFailureAtOnce(FormOfGet form) throws Exception {
        fleet.origin().fail(new IOException("down"));
        Callers.Call<String> leader = fleet.loading(0, "k");
        Callers.Call<String> waits = form.askOf(fleet, 1);
        fleet.time().awaitWaiting(1);
        int asked = fleet.store().count(Call.LEASE);
        fleet.origin().open();

        assertThat(leader.failure()).isInstanceOf(LoadException.class);
        assertThat(waits.failure())
                .isInstanceOf(RecentLoadFailureException.class)
                .hasMessageEndingWith("java.io.IOException: down");
        assertThat(fleet.store().count(Call.LEASE))
                .as("it was told, it did not ask")
                .isEqualTo(asked);
        assertThat(fleet.time().monotonicNanos()).isZero();
    }

    @Test
    void invalidateEndsTheCoolDown() {
        fleet.origin().fail(new IOException("down"));
        assertThatThrownBy(() -> get(0)).isInstanceOf(LoadException.class);
        fleet.origin().fail(null);

        fleet.cache(1).invalidate("k");

        assertThat(get(0)).isEqualTo("one");
    }

    @Test
    void zeroMeansNoCoolDown() {
        try (Fleet eager = new Fleet(1, POLICY.toBuilder().failureCoolDown(ZERO).build())) {
            eager.origin().fail(new IOException("down"));
            for (int i = 0; i < 5; i++) {
                assertThatThrownBy(() -> eager.cache(0).get("k", eager.origin()::read))
                        .isInstanceOf(LoadException.class);
            }
            assertThat(eager.origin().reads()).isEqualTo(5);
        }
    }

    private String get(int process) {
        return fleet.cache(process).get("k", fleet.origin()::read);
    }
}
