package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.EventType;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A lack of free connections is no reason to load without a lease: the caller waits for one, and fails at its deadline. */
final class ConnectionShortageTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(ofSeconds(10))
            .jitter(0)
            .waitTimeout(ofSeconds(3))
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(1, POLICY);

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);

    @ForEach
    void callerThatFindsNoConnectionForItsLeaseDoesNotLoad(FormOfGet form) throws Exception {
        fleet.store().exhaust(Call.LEASE, Call.LEASE_ALL);

        assertThat(form.askOf(fleet, 0).failure())
                .isInstanceOf(WaitTimeoutException.class)
                .hasMessageContaining("no connection")
                .hasMessageContaining("'fleet:k'")
                .hasCauseInstanceOf(StoreException.class);

        assertThat(fleet.origin().reads()).isZero();
    }

    @Test
    void callerCanWaitForAConnectionUntilItsDeadlineAndNoLonger() {
        fleet.store().before(Call.READ, () -> fleet.advance(ofSeconds(1)));

        cache.get("k", fleet.origin()::read);

        assertThat(fleet.store().patiences()).containsExactly(ofSeconds(3), ofSeconds(2));
    }

    @Test
    void readAfterANotificationAwaitsAConnectionUntilTheDeadline() throws Exception {
        try (Fleet two = new Fleet(2, POLICY)) {
            Callers.Call<String> leader = two.loading(1, "k");
            Callers.Call<String> waiter = two.get(0, "k");
            two.time().awaitWaiting(1);
            two.advance(ofSeconds(1));
            two.time().awaitWaiting(1);
            Callers.Call<String> latecomer = two.get(0, "k");
            two.time().awaitWaiting(2);
            List<Duration> patiences = two.store().patiences();
            int before = patiences.size();

            two.origin().open();

            assertThat(List.of(leader.result(), waiter.result(), latecomer.result()))
                    .containsOnly("one");
            assertThat(patiences.subList(before, patiences.size())).containsExactly(ofSeconds(2));
        }
    }

    @Test
    void lastReadWithoutAPermitUsesAFreeConnectionOrNone() throws Exception {
        CachePolicy oneLoad = POLICY.toBuilder().maxConcurrentLoads(1).build();
        try (Fleet busy = new Fleet(1, oneLoad)) {
            busy.loading(0, "slow");
            Callers.Call<String> late = busy.get(0, "k");
            busy.time().awaitWaiting(1);

            busy.advance(ofSeconds(3));

            assertThat(late.failure()).isInstanceOf(OriginBusyException.class);
            assertThat(busy.store().patiences())
                    .as("its waitTimeout is over")
                    .last()
                    .isEqualTo(Duration.ZERO);
        }
    }

    @Test
    void permitTimeoutNamesTheShortageIfNoLoaderRuns() throws Exception {
        CachePolicy oneLoad = POLICY.toBuilder().maxConcurrentLoads(1).build();
        CountDownLatch connection = new CountDownLatch(1);
        CountDownLatch queues = new CountDownLatch(1);
        try (Fleet busy = new Fleet(1, oneLoad)) {
            busy.store().before(Call.LEASE, () -> {
                queues.countDown();
                Fleet.until(() -> connection.getCount() == 0);
            });
            busy.get(0, "queues for a connection");
            queues.await();
            Callers.Call<String> late = busy.get(0, "k");
            busy.time().awaitWaiting(1);
            busy.store().exhaust(Call.READ, Call.READ_ALL);

            busy.advance(ofSeconds(3));

            assertThat(late.failure()).isInstanceOf(WaitTimeoutException.class).hasMessageContaining("no connection");
            connection.countDown();
        }
    }

    @Test
    void shortageSaysNothingAboutTheStore() {
        fleet.store().exhaust();
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> cache.get("k", fleet.origin()::read)).isInstanceOf(WaitTimeoutException.class);
        }
        fleet.store().heal().refuse(Call.READ);

        assertThat(cache.get("k", fleet.origin()::read)).isEqualTo("one");

        fleet.store().heal();
        assertThat(on(fleet.store()).read("fleet:k")).as("loaded under a lease").isNotNull();
    }

    @ForEach
    void copyOfTheNearCacheStandsIn(FormOfGet form) throws Exception {
        try (Fleet near = withCopy()) {
            near.store().exhaust();

            assertThat(form.askOf(near, 0).result()).isEqualTo("one");
            assertThat(near.origin().reads()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"GET_ASYNC", "GET_ALL_ASYNC"})
    void nearCacheCopyStandsInForAnUnfinishedRead(FormOfGet form) throws Exception {
        CountDownLatch reads = new CountDownLatch(1);
        try (Fleet near = withCopy()) {
            Callers.Call<String> caller = readsUntil(reads, form, near);
            near.advance(ofSeconds(3));

            assertThat(caller.result()).isEqualTo("one");
            reads.countDown();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"GET_ASYNC", "GET_ALL_ASYNC"})
    void readThatHasNotEndedIsNoLackOfThreads(FormOfGet form) throws Exception {
        CountDownLatch reads = new CountDownLatch(1);
        Callers.Call<String> caller = readsUntil(reads, form, fleet);

        fleet.advance(ofSeconds(3));

        assertThat(caller.failure()).isInstanceOf(WaitTimeoutException.class);
        assertThat(fleet.listener().count(AnswerSource.FAILED)).isEqualTo(form.keys());
        reads.countDown();
    }

    private static Fleet withCopy() throws Exception {
        Fleet near = Fleet.near(1, POLICY);
        near.get(0, FormOfGet.KEY).result();
        near.advance(ofSeconds(11));
        return near;
    }

    /** Requests the key; its read finds no connection, and ends only with the latch. */
    private static Callers.Call<String> readsUntil(CountDownLatch end, FormOfGet form, Fleet fleet) {
        Call read = form == FormOfGet.GET_ASYNC ? Call.READ : Call.READ_ALL;
        int before = fleet.store().count(read);
        fleet.store().exhaust().before(read, () -> Fleet.await(end));
        Callers.Call<String> caller = form.askOf(fleet, 0);
        until(() -> fleet.store().count(read) > before);
        return caller;
    }

    @Test
    void reloadInTheBackgroundIsDroppedAndTriedAgain() {
        cache.get("k", fleet.origin()::read);
        fleet.advance(ofSeconds(10));
        fleet.store().exhaust(Call.LEASE);
        assertThat(cache.get("k", fleet.origin()::read)).isEqualTo("one");
        until(() -> fleet.listener().count(EventType.REFRESH_DROPPED) == 1);
        until(() -> cache.reloading() == 0);
        fleet.store().heal();
        fleet.origin().write("two");
        fleet.advance(ofMillis(250));

        cache.get("k", fleet.origin()::read);

        until(() -> fleet.origin().reads() == 2);
    }
}
