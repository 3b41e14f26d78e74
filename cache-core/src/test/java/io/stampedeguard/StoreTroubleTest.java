package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** P5 and P6: whatever the store does, {@code get} answers, and the number of concurrent loads stays bounded. */
final class StoreTroubleTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .waitTimeout(ofSeconds(1))
            .maxConcurrentLoads(4)
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(1, POLICY);

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);

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

        assertThat(Callers.results(calls)).containsOnly("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(fleet.store().count(Call.LEASE))
                .as("who could not read does not ask again")
                .isEqualTo(questions);
        assertThat(cache.faults(FaultSource.STORE)).isEqualTo(3 + 32);
    }

    @ForEach
    void loadsNeverExceedTheBound(boolean isDown) throws Exception {
        if (isDown) {
            fleet.store().refuse();
        }
        fleet.origin().close();
        AtomicInteger next = new AtomicInteger();
        List<Callers.Call<String>> calls =
                fleet.callers().call(64, () -> cache.get("k" + next.getAndIncrement(), fleet.origin()::read));
        fleet.time().awaitWaiting(60);
        until(() -> fleet.origin().running() == 4); // those with a permit may be on their way
        fleet.origin().open();

        assertThat(Callers.results(calls)).containsOnly("one");
        assertThat(fleet.origin().mostAtOnce()).isEqualTo(4);
    }

    @ForEach
    void leaseWhoseAnswerIsLostIsGivenBackAfterTheLoad(FormOfGet form) throws Exception {
        fleet.store().loseAnswers(form.call(Call.LEASE));

        assertThat(form.askOf(fleet, 0).result()).isEqualTo("one");

        until(() -> fleet.store().done(form.call(Call.ABANDON)) == 2); // the request was sent twice
        fleet.store().heal();
        assertThat(on(fleet.store()).read("fleet:k"))
                .as("when it was granted is not known, an invalidation may lie between")
                .isNull();
        assertThat(fleet.listener().count(EventType.LOAD_NOT_STORED)).isEqualTo(form.keys());
        assertThat(on(fleet.store()).lease("fleet:k", LeaseToken.next(), null, ofSeconds(1)))
                .isInstanceOf(LeaseAttempt.Granted.class);
    }

    @ForEach
    void leaseIsGivenBackIfTheFailureCannotBeStored(FormOfGet form) throws Exception {
        fleet.store().refuse(form.call(Call.FAIL));
        fleet.origin().fail(new IOException("origin is down"));

        assertThat(form.askOf(fleet, 0).failure())
                .isInstanceOf(LoadException.class)
                .hasRootCauseMessage("origin is down");

        fleet.origin().fail(null);
        until(() -> fleet.store().done(form.call(Call.ABANDON)) == 1);
        assertThat(form.askOf(fleet, 0).result()).isEqualTo("one");
    }

    @ForEach
    void staleValueIsServedAndNotReloadedWithoutALease(FormOfGet form) throws Exception {
        form.askOf(fleet, 0).result();
        fleet.advance(POLICY.softTtl());
        fleet.store().refuse(Call.LEASE, Call.LEASE_ALL);

        assertThat(form.askOf(fleet, 0).result()).isEqualTo("one");

        until(() -> fleet.listener().count(EventType.LEASE_UNAVAILABLE) == form.keys());
        until(() -> cache.reloading() == 0);
        assertThat(fleet.origin().reads()).isEqualTo(1);
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
