package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.StoreFailureMode;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** P5 and P6: whatever the store does, {@code get} answers, and the number of concurrent loads stays bounded. */
final class StoreTroubleTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .waitTimeout(ofSeconds(1))
            .maxConcurrentLoads(4)
            .build();

    private final Fleet fleet = new Fleet(1, POLICY);
    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);

    @AfterEach
    void close() {
        fleet.close();
    }

    @Test
    void deadStoreMeansOneLoadPerKeyAtATime() throws Exception {
        fleet.store().refuse();
        cache.get("other", key -> "v"); // from now on the store is known to be down
        until(() -> cache.faults(FaultSource.STORE) == 3); // read, lease, and its release
        int questions = fleet.store().count(Call.LEASE);
        fleet.origin().close();
        List<Callers.Call<String>> calls = fleet.callers().call(32, () -> cache.get("k", fleet.origin()::read));
        fleet.time().awaitWaiting(31);
        fleet.origin().open();

        for (Callers.Call<String> call : calls) {
            assertThat(call.result()).isEqualTo("one");
        }
        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(fleet.store().count(Call.LEASE))
                .as("who could not read does not ask again")
                .isEqualTo(questions);
        assertThat(cache.faults(FaultSource.STORE)).isEqualTo(3 + 32);
    }

    @Test
    void loadsNeverExceedTheBoundWithTheStoreDead() throws Exception {
        fleet.store().refuse();
        loadManyKeysAtOnce();
    }

    @Test
    void loadsNeverExceedTheBoundWithTheStoreWell() throws Exception {
        loadManyKeysAtOnce();
    }

    private void loadManyKeysAtOnce() throws Exception {
        fleet.origin().close();
        AtomicInteger next = new AtomicInteger();
        List<Callers.Call<String>> calls =
                fleet.callers().call(64, () -> cache.get("k" + next.getAndIncrement(), fleet.origin()::read));
        fleet.time().awaitWaiting(60);
        assertThat(fleet.origin().running()).isEqualTo(4);
        fleet.origin().open();

        for (Callers.Call<String> call : calls) {
            assertThat(call.result()).isEqualTo("one");
        }
        assertThat(fleet.origin().mostAtOnce()).isEqualTo(4);
    }

    @Test
    void callerThatFindsNoPermitInTimeIsToldThatTheOriginIsBusy() throws Exception {
        fleet.origin().close();
        for (int i = 0; i < 4; i++) {
            fleet.get(0, "slow" + i);
        }
        until(() -> fleet.origin().running() == 4);
        Callers.Call<String> late = fleet.get(0, "k");
        fleet.time().awaitWaiting(1);
        fleet.advance(ofSeconds(1));

        assertThat(late.failure())
                .isInstanceOf(OriginBusyException.class)
                .hasMessageContaining("'fleet:k'")
                .hasMessageContaining("maxConcurrentLoads");
    }

    @Test
    void storeThatDiesBeforeTheLeaseMeansALoadWithoutOne() {
        fleet.store().refuse(Call.LEASE);

        assertThat(cache.get("k", fleet.origin()::read)).isEqualTo("one");
        assertThat(on(fleet.store()).read("fleet:k"))
                .as("without a lease nothing is stored")
                .isNull();
        assertThat(fleet.listener().count(EventType.LOAD_NOT_STORED)).isEqualTo(1);
    }

    @Test
    void leaseWhoseAnswerIsLostIsGivenBackAfterTheLoad() {
        fleet.store().loseAnswers(Call.LEASE);

        assertThat(cache.get("k", fleet.origin()::read)).isEqualTo("one");

        until(() -> fleet.store().done(Call.ABANDON) == 2); // the request was sent twice
        fleet.store().heal();
        assertThat(on(fleet.store()).read("fleet:k"))
                .as("when it was granted is not known, an invalidation may lie between")
                .isNull();
        assertThat(fleet.listener().count(EventType.LOAD_NOT_STORED)).isEqualTo(1);
        assertThat(on(fleet.store()).lease("fleet:k", LeaseToken.next(), null, ofSeconds(1)))
                .isInstanceOf(LeaseAttempt.Granted.class);
    }

    @Test
    void leaseWhosePublishFailsIsGivenBack() {
        fleet.store().refuse(Call.PUBLISH);

        cache.get("k", fleet.origin()::read);

        until(() -> fleet.store().done(Call.ABANDON) == 1);
        assertThat(on(fleet.store()).lease("fleet:k", LeaseToken.next(), null, ofSeconds(1)))
                .isInstanceOf(LeaseAttempt.Granted.class);
    }

    @Test
    void storeThatDiesBeforeThePublishCostsNoAnswer() {
        fleet.store().refuse(Call.PUBLISH);

        assertThat(cache.get("k", fleet.origin()::read)).isEqualTo("one");
        assertThat(fleet.listener().count(EventType.LOAD_NOT_STORED)).isEqualTo(1);
    }

    @Test
    void storeThatDiesBeforeALeaseIsGivenBackCostsNoMoreThanTheLease() {
        fleet.origin().fail(new IOException("origin is down"));
        fleet.store().refuse(Call.ABANDON);
        assertThatThrownBy(() -> cache.get("k", fleet.origin()::read))
                .isInstanceOf(LoadException.class)
                .hasRootCauseMessage("origin is down");

        fleet.store().heal();
        fleet.origin().fail(null);
        fleet.advance(POLICY.leaseTtl());
        assertThat(cache.get("k", fleet.origin()::read)).isEqualTo("one");
    }

    @Test
    void storeThatComesBackIsUsedAgain() {
        fleet.store().refuse();
        cache.get("k", fleet.origin()::read);
        cache.get("k", fleet.origin()::read);
        assertThat(fleet.origin().reads()).as("loaded once while it is down").isEqualTo(1);
        fleet.store().heal();
        cache.get("k", fleet.origin()::read);
        cache.get("k", fleet.origin()::read);

        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @Test
    void staleValueIsServedAndNotReloadedWhenTheReloadCouldNotBeStored() {
        cache.get("k", fleet.origin()::read);
        fleet.advance(POLICY.softTtl());
        fleet.store().refuse(Call.LEASE, Call.PUBLISH, Call.ABANDON);

        assertThat(cache.get("k", fleet.origin()::read)).isEqualTo("one");
        until(() -> fleet.listener().count(EventType.LEASE_UNAVAILABLE) == 1);
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void writersAreToldThatNothingWasDoneIfTheyWantToBe() {
        try (Fleet strict = new Fleet(
                1, POLICY.toBuilder().onStoreFailure(StoreFailureMode.THROW).build())) {
            strict.store().refuse();
            StampedeGuardedCache<String, String> told = strict.cache(0);

            assertThatThrownBy(() -> told.put("k", "v")).isInstanceOf(StoreException.class);
            assertThatThrownBy(() -> told.invalidate("k")).isInstanceOf(StoreException.class);
            assertThatThrownBy(() -> told.expire("k")).isInstanceOf(StoreException.class);
        }
    }

    @Test
    void failedInvalidationStillKeepsLaterCallersOffTheOldFlight() throws Exception {
        fleet.store().refuse();
        CountDownLatch oldGate = fleet.origin().close();
        Callers.Call<String> old = fleet.get(0, "k");
        until(() -> fleet.origin().running() == 1);
        fleet.origin().write("two");
        cache.invalidate("k");
        fleet.origin().close().countDown();

        assertThat(cache.get("k", fleet.origin()::read)).isEqualTo("two");
        oldGate.countDown();
        assertThat(old.result()).isEqualTo("one");
    }
}
