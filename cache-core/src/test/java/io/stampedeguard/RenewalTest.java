package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A lease lives as long as its load. */
final class RenewalTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .leaseTtl(ofSeconds(3))
            .loadTimeout(ofSeconds(60))
            .waitTimeout(ofSeconds(60))
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(2, POLICY);

    @Test
    void loadOfManyLeasesLengthIsOneLoad() throws Exception {
        Callers.Call<String> leader = fleet.loading(0, "k");
        Callers.Call<String> follower = fleet.get(1, "k");
        for (int second = 0; second < 20; second++) {
            passHalfASecond();
            passHalfASecond();
        }
        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(follower.result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(fleet.listener().count(EventType.LOAD_STORED)).isEqualTo(1);
        assertThat(fleet.store().count(Call.RENEW))
                .as("each third of the lease")
                .isBetween(12, 20);
    }

    @Test
    void shortLoadRenewsNothing() {
        fleet.cache(0).get("k", fleet.origin()::read);
        passHalfASecond();
        fleet.advance(ofSeconds(10));

        assertThat(fleet.store().count(Call.RENEW)).isZero();
        until(() -> fleet.time().timers() == 0);
    }

    @Test
    void leasesOfOneProcessAreRenewedTogether() throws Exception {
        fleet.origin().close();
        for (int i = 0; i < 20; i++) {
            fleet.get(0, "k" + i);
        }
        until(() -> fleet.origin().running() == 20);

        renewOnce();

        assertThat(fleet.store().count(Call.RENEW)).isEqualTo(1);
        assertThat(fleet.listener().count(EventType.LEASE_LOST)).isZero();
    }

    @Test
    void renewalThatFailsIsRepeated() throws Exception {
        Callers.Call<String> leader = fleet.loading(0, "k");
        fleet.store().refuse(Call.RENEW);
        renewOnce();
        until(() -> fleet.listener().count(FaultSource.STORE) == 1);
        fleet.store().heal();
        renewOnce();
        fleet.advance(ofMillis(2_500));
        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(fleet.listener().count(EventType.LOAD_STORED)).isEqualTo(1);
    }

    @Test
    void leaderThatStalledIsToldThatItsLeaseIsLost() throws Exception {
        Callers.Call<String> leader = fleet.loading(0, "k");
        fleet.advance(ofSeconds(4));
        until(() -> fleet.listener().count(EventType.LEASE_LOST) == 1);
        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(fleet.listener().count(EventType.LOAD_FENCED)).isEqualTo(1);
        assertThat(on(fleet.store()).read("fleet:k")).isNull();
    }

    @Test
    void invalidatedLeaseIsNotRenewed() throws Exception {
        Callers.Call<String> late = fleet.loading(0, "k");
        fleet.cache(1).invalidate("k");

        renewOnce();

        until(() -> fleet.listener().count(EventType.LEASE_LOST) == 1);
        fleet.origin().open();
        late.result();
        assertThat(on(fleet.store()).read("fleet:k")).isNull();
    }

    /** Its publication, or its end without one, has taken effect, and its answer is on its way, when the lease is renewed. */
    @ParameterizedTest
    @EnumSource(names = {"PUBLISH", "PUBLISH_ALL", "PASS", "FAIL"})
    void leaseThatItsOwnLoadHasEndedIsNotLost(Call end) throws Exception {
        Callers.Call<String> other = fleet.loading(0, "other");
        fleet.store().after(end, this::renewOnce);

        end(end);
        assertThat(fleet.store().done(Call.RENEW)).isPositive();
        fleet.cache(1).invalidate("other");
        renewOnce();
        until(() -> fleet.listener().count(EventType.LEASE_LOST) > 0);

        assertThat(fleet.listener().count(EventType.LEASE_LOST))
                .as("that of the key which was invalidated")
                .isEqualTo(1);
        fleet.origin().open();
        other.result();
    }

    private void end(Call end) {
        switch (end) {
            case PUBLISH -> fleet.cache(0).get("k", key -> "one");
            case PUBLISH_ALL -> fleet.cache(0).getAll(List.of("k", "l"), keys -> Map.of("k", "one", "l", "two"));
            case PASS -> {
                Loader<String, String> unstored =
                        Loader.adaptive((key, previous) -> LoadedValue.of("one").doNotCache());
                fleet.cache(0).get("k", unstored);
            }
            default ->
                assertThatThrownBy(() -> fleet.cache(0).get("k", key -> {
                            throw new IllegalStateException("the origin is down");
                        }))
                        .isInstanceOf(LoadException.class);
        }
    }

    @Test
    void leaseIsRenewedWhileTheStoreIsSlowToTakeAnotherBack() throws Exception {
        CountDownLatch slow = new CountDownLatch(1);
        fleet.store().refuse(Call.PUBLISH).before(Call.ABANDON, () -> Fleet.await(slow));
        fleet.cache(0).get("another", fleet.origin()::read);
        until(() -> fleet.store().count(Call.ABANDON) == 1);
        fleet.store().heal();
        Callers.Call<String> leader = fleet.loading(0, "k");

        renewOnce();
        slow.countDown();
        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(fleet.listener().count(EventType.LOAD_STORED)).isEqualTo(1);
    }

    @Test
    void leaseAgesFromItsRequestHoweverLateTheAnswer() throws Exception {
        fleet.origin().close();
        fleet.store().after(Call.LEASE, () -> fleet.advance(ofMillis(2_200)));
        Callers.Call<String> leader = fleet.get(0, "k");
        until(() -> fleet.origin().running() == 1);

        fleet.advance(ofMillis(500));
        until(() -> fleet.store().done(Call.RENEW) == 1);
        fleet.advance(ofMillis(500));
        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(fleet.listener().count(EventType.LOAD_STORED)).isEqualTo(1);
    }

    /** As if the thread had waited for a processor with the answer at hand. */
    @Test
    void leaseThatEndedBeforeItsLoadBeganIsRequestedAgain() {
        fleet.store().after(Call.LEASE, () -> {
            fleet.advance(ofSeconds(4));
            fleet.cache(1).get("k", fleet.origin()::read);
        });

        assertThat(fleet.cache(0).get("k", fleet.origin()::read)).isEqualTo("one");

        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(fleet.listener().count(EventType.LEASE_LOST)).isEqualTo(1);
    }

    @Test
    void leaseThatWasWaitedForIsRenewedDuringItsLoad() throws Exception {
        fleet.origin().close();
        fleet.store().before(Call.LEASE, () -> fleet.advance(ofSeconds(55))); // for a connection
        Callers.Call<String> leader = fleet.get(0, "k");
        until(() -> fleet.origin().running() == 1);
        for (int second = 0; second < 20; second++) {
            passHalfASecond();
            passHalfASecond();
        }
        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(fleet.listener().count(EventType.LOAD_STORED)).isEqualTo(1);
    }

    /** Advances the clock by one tick of the renewal, and waits until its call, if there is one, has ended. */
    private void passHalfASecond() {
        int timers = fleet.time().timers();
        fleet.advance(ofMillis(500));
        until(() -> fleet.time().timers() == timers
                || fleet.origin().running() == 0
                || fleet.listener().count(EventType.LEASE_LOST) > 0);
    }

    private void renewOnce() {
        int before = fleet.store().done(Call.RENEW);
        while (fleet.store().done(Call.RENEW) == before) {
            passHalfASecond();
        }
    }
}
