package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.BulkOrigin;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Many keys, some of which other processes load. The clock stands still unless a test advances it, so nothing polls. */
final class BulkPeersTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .leaseTtl(ofSeconds(2))
            .waitTimeout(ofSeconds(8))
            .loadTimeout(ofSeconds(60))
            .maxConcurrentLoads(1)
            .jitter(0)
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(2, POLICY);

    private final BulkOrigin origin = fleet.bulkOrigin();

    @Test
    void keysHeldElsewhereAreAwaitedAndTheOthersLoadedAndStoredMeanwhile() throws Exception {
        Callers.Call<String> elsewhere = fleet.loading(1, "b");
        Callers.Call<Map<String, String>> batch = fleet.getAll(0, "a", "b", "c");
        fleet.time().awaitWaiting(1);

        assertThat(origin.calls()).containsExactly(List.of("a", "c"));
        assertThat(on(fleet.store()).read("fleet:a")).isNotNull();
        fleet.origin().open();

        assertThat(batch.result()).containsExactly(Map.entry("a", "a's"), Map.entry("b", "one"), Map.entry("c", "c's"));
        assertThat(elsewhere.result()).isEqualTo("one");
        assertThat(fleet.time().monotonicNanos()).as("it was told").isZero();
        assertThat(origin.calls()).hasSize(1);
        assertThat(fleet.store().watches()).isZero();
        assertThat(fleet.listener().count(EventType.WAIT_ANSWERED)).isEqualTo(1);
    }

    @Test
    void manyKeysHeldElsewhereAreFoundOnceOneOfThemIsTold() throws Exception {
        origin.close();
        Callers.Call<Map<String, String>> elsewhere = fleet.getAll(1, "a", "b", "c");
        until(() -> origin.running() == 1);
        Callers.Call<Map<String, String>> batch = fleet.getAll(0, "b", "d", "a", "c");
        until(() -> origin.running() == 2);
        origin.open();

        assertThat(batch.result()).hasSize(4);
        assertThat(elsewhere.result()).hasSize(3);
        assertThat(origin.calls()).containsExactly(List.of("a", "b", "c"), List.of("d"));
        assertThat(fleet.time().monotonicNanos()).isZero();
    }

    @Test
    void expiredLeasesOfADeadHolderAreTakenOverTogether() throws Exception {
        for (String key : List.of("a", "b", "c")) {
            on(fleet.store()).lease("fleet:" + key, LeaseToken.next(), null, ofSeconds(2));
        }
        Callers.Call<Map<String, String>> batch = fleet.getAll(0, "a", "b", "c", "d");
        fleet.time().awaitWaiting(1);
        assertThat(origin.calls()).containsExactly(List.of("d"));

        fleet.advance(ofSeconds(2));

        assertThat(batch.result()).hasSize(4);
        assertThat(origin.calls()).containsExactly(List.of("d"), List.of("a", "b", "c"));
    }

    @Test
    void keyOfADeadHolderCountsAsTakenOverDuringOtherLoads() throws Exception {
        on(fleet.store()).lease("fleet:b", LeaseToken.next(), null, ofSeconds(2));
        CountDownLatch gate = origin.close();
        Callers.Call<Map<String, String>> batch = fleet.getAll(0, "a", "b");
        until(() -> origin.running() == 1);
        fleet.advance(ofSeconds(3));
        gate.countDown();

        assertThat(batch.result()).hasSize(2);
        assertThat(fleet.listener().count(EventType.LEASE_TAKEN_OVER)).isOne();
    }

    @Test
    void whoWaitsForOthersHoldsNoPermit() throws Exception {
        fleet.loading(1, "b");
        Callers.Call<Map<String, String>> batch = fleet.getAll(0, "b");
        fleet.time().awaitWaiting(1);

        assertThat(fleet.cache(0).get("x", key -> "loaded meanwhile")).isEqualTo("loaded meanwhile");
        fleet.origin().open();
        assertThat(batch.result()).containsOnlyKeys("b");
    }

    @Test
    void interruptEndsTheWaitAndKeepsWhatWasLoaded() throws Exception {
        fleet.loading(1, "b");
        AtomicReference<BulkLoadException> thrown = new AtomicReference<>();
        Callers.Call<Boolean> batch = fleet.callers().call(() -> {
            try {
                fleet.cache(0).getAll(List.of("a", "b"), origin);
            } catch (BulkLoadException e) {
                thrown.set(e);
            }
            return Thread.interrupted();
        });
        fleet.time().awaitWaiting(1);

        batch.interrupt();

        assertThat(batch.result()).as("the flag is set").isTrue();
        assertThat(thrown.get().values()).containsOnlyKeys("a");
        assertThat(thrown.get().failures()).containsOnlyKeys("b");
        assertThat(thrown.get()).hasCauseInstanceOf(WaitInterruptedException.class);
        assertThat(fleet.listener().count(EventType.WAIT_INTERRUPTED)).isEqualTo(1);
    }

    @Test
    void getAndAnotherBatchJoinTheFlightsOfABatch() throws Exception {
        origin.close();
        Callers.Call<Map<String, String>> batch = fleet.getAll(0, "a", "b");
        until(() -> origin.running() == 1);
        Callers.Call<String> get = fleet.get(0, "b");
        fleet.time().awaitWaiting(1);
        Callers.Call<Map<String, String>> other = fleet.getAll(0, "b", "a");
        fleet.time().awaitWaiting(2);
        origin.open();

        assertThat(batch.result()).hasSize(2);
        assertThat(get.result()).isEqualTo("b's");
        assertThat(other.result()).containsExactly(Map.entry("b", "b's"), Map.entry("a", "a's"));
        assertThat(origin.calls()).hasSize(1);
        assertThat(fleet.origin().reads()).isZero();
    }

    @Test
    void batchesThatHoldEachOthersKeysDoNotBlockEachOther() throws Exception {
        CountDownLatch gate = origin.close();
        LeaseToken somebody = LeaseToken.next();
        on(fleet.store()).lease("fleet:a", somebody, null, ofSeconds(2));
        Callers.Call<Map<String, String>> one = fleet.getAll(0, "a", "b");
        until(() -> origin.running() == 1);
        on(fleet.store()).abandon("fleet:a", somebody);
        Callers.Call<Map<String, String>> other = fleet.getAll(1, "b", "a");
        until(() -> origin.running() == 2);
        assertThat(origin.calls()).as("each holds what the other wants").containsExactly(List.of("b"), List.of("a"));
        gate.countDown();

        assertThat(one.result()).containsExactly(Map.entry("a", "a's"), Map.entry("b", "b's"));
        assertThat(other.result()).containsExactly(Map.entry("b", "b's"), Map.entry("a", "a's"));
        assertThat(origin.calls()).hasSize(2);
        assertThat(fleet.time().monotonicNanos()).isZero();
    }

    @Test
    void waitersForAHeldKeyAreAnsweredDuringOtherLoads() throws Exception {
        try (Fleet two = new Fleet(2, POLICY.toBuilder().maxConcurrentLoads(2).build())) {
            Callers.Call<String> elsewhere = two.loading(1, "b");
            CountDownLatch gate = two.bulkOrigin().close();
            Callers.Call<Map<String, String>> batch = two.getAll(0, "a", "b");
            until(() -> two.bulkOrigin().running() == 1);
            Callers.Call<String> waiting = two.get(0, "b");
            two.time().awaitWaiting(1);

            two.origin().open();

            assertThat(waiting.result()).isEqualTo("one");
            assertThat(elsewhere.result()).isEqualTo("one");
            assertThat(batch.isOver()).isFalse();
            gate.countDown();
            assertThat(batch.result()).containsExactly(Map.entry("a", "a's"), Map.entry("b", "one"));
        }
    }
}
