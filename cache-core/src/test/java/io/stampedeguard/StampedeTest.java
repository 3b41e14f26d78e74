package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** P1 and P3: one load for the fleet; waiting callers never load, and never wait longer than the policy permits. */
final class StampedeTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .leaseTtl(ofSeconds(2))
            .waitTimeout(ofSeconds(1))
            .poll(ofMillis(1))
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(4, POLICY);

    @Test
    void coldKeyIsLoadedOnceForAllCallersOfAllProcesses() throws Exception {
        fleet.origin().close();
        AtomicInteger next = new AtomicInteger();
        List<Callers.Call<String>> calls = fleet.callers()
                .call(256, () -> fleet.cache(next.getAndIncrement() % 4).get("k", fleet.origin()::read));
        until(() -> fleet.origin().running() == 1 && fleet.listener().count(EventType.LEASE_HELD) >= 3);
        fleet.origin().open();

        assertThat(Callers.results(calls)).containsOnly("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(fleet.listener().count(EventType.LEASE_GRANTED)).isEqualTo(1);
    }

    @Test
    void followerInTheSameProcessGivesUpAtTheWaitTimeout() throws Exception {
        Callers.Call<String> leader = fleet.loading(0, "k");
        Callers.Call<String> follower = fleet.get(0, "k");
        fleet.time().awaitWaiting(1);

        fleet.advance(ofMillis(999));
        fleet.time().awaitWaiting(1);
        assertThat(follower.isOver()).isFalse();
        fleet.advance(ofMillis(1));

        assertThat(follower.failure()).isInstanceOf(WaitTimeoutException.class).hasMessageContaining("'fleet:k'");
        fleet.origin().open();
        assertThat(leader.result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void followerInAnotherProcessGivesUpAtTheWaitTimeout() throws Exception {
        fleet.loading(0, "k");
        Callers.Call<String> follower = fleet.get(1, "k");
        fleet.advanceUntil(follower::isOver, ofMillis(10));

        assertThat(follower.failure()).isInstanceOf(WaitTimeoutException.class).hasMessageContaining("'fleet:k'");
        assertThat(fleet.time().monotonicNanos()).isEqualTo(ofSeconds(1).toNanos());
        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(fleet.listener().count(EventType.WAIT_TIMED_OUT)).isEqualTo(1);
    }

    @Test
    void leaseOfADeadLeaderIsTakenOverWhenItDies() throws Exception {
        LeaseToken dead = LeaseToken.next();
        on(fleet.store()).lease("fleet:k", dead, null, ofMillis(500));

        Callers.Call<String> follower = fleet.get(1, "k");
        fleet.advanceUntil(follower::isOver, ofMillis(1));

        assertThat(follower.result()).isEqualTo("one");
        assertThat(fleet.time().monotonicNanos())
                .isBetween(ofMillis(500).toNanos(), ofMillis(501).toNanos());
    }

    @Test
    void leaderPastItsLeaseStoresNothing() throws Exception {
        CountDownLatch stalled = new CountDownLatch(1);
        CountDownLatch loading = new CountDownLatch(1);
        Callers.Call<String> late = fleet.callers()
                .call(() -> fleet.cache(0).get("k", key -> {
                    loading.countDown();
                    stalled.await();
                    return "late";
                }));
        loading.await();
        fleet.advance(ofSeconds(2));
        assertThat(fleet.cache(1).get("k", fleet.origin()::read)).isEqualTo("one");

        stalled.countDown();

        assertThat(late.result()).as("its own caller came before its load").isEqualTo("late");
        assertThat(fleet.cache(0).get("k", fleet.origin()::read)).isEqualTo("one");
        assertThat(fleet.cache(2).get("k", fleet.origin()::read)).isEqualTo("one");
        assertThat(fleet.listener().count(EventType.LOAD_FENCED)).isEqualTo(1);
    }
}
