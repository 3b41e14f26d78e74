package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.EventType;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.BulkOrigin;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** P2 for many keys at once: each is treated by itself. */
final class BulkInvalidationTest {
    private final Fleet fleet = new Fleet(2, CachePolicy.defaults());
    private final BulkOrigin origin = fleet.bulkOrigin();

    @AfterEach
    void close() {
        fleet.close();
    }

    @Test
    void lateWriterStoresTheKeysThatWereNotInvalidatedAndNoOthers() throws Exception {
        origin.close();
        Callers.Call<Map<String, String>> late = fleet.getAll(0, "a", "b");
        until(() -> origin.running() == 1);
        origin.write("a", "new");
        fleet.cache(1).invalidate("a");
        origin.open();

        assertThat(late.result()).as("its caller came before").containsEntry("a", "a's");
        assertThat(on(fleet.store()).read("fleet:a")).isNull();
        assertThat(on(fleet.store()).read("fleet:b")).isNotNull();
        assertThat(fleet.listener().count(EventType.LOAD_FENCED)).isEqualTo(1);
        assertThat(fleet.listener().count(EventType.LOAD_STORED)).isEqualTo(1);
        assertThat(fleet.cache(0).getAll(List.of("a", "b"), origin))
                .containsExactly(Map.entry("a", "new"), Map.entry("b", "b's"));
    }

    @Test
    void whoJoinedAfterTheLoadBeganGoesRoundAgainIfTheLeaseWasLost() throws Exception {
        CountDownLatch oldGate = origin.close();
        Callers.Call<Map<String, String>> leader = fleet.getAll(0, "a", "b");
        until(() -> origin.running() == 1);
        Callers.Call<Map<String, String>> batch = fleet.getAll(0, "b", "a");
        fleet.time().awaitWaiting(1);
        Callers.Call<String> single = fleet.callers().call(() -> fleet.cache(0).get("a", origin::load));
        fleet.time().awaitWaiting(2);

        origin.write("a", "new");
        on(fleet.store()).invalidate("fleet:a"); // by another process: the flights of this one are not notified
        origin.close().countDown();
        oldGate.countDown();

        assertThat(leader.result()).containsEntry("a", "a's");
        assertThat(batch.result()).containsExactly(Map.entry("b", "b's"), Map.entry("a", "new"));
        assertThat(single.result()).isEqualTo("new");
        assertThat(origin.loads("b")).isEqualTo(1);
        assertThat(fleet.listener().count(EventType.WAIT_RETRY)).isPositive();
    }

    @Test
    void callerAfterAnInvalidationInItsOwnProcessDoesNotJoinTheOldFlight() throws Exception {
        CountDownLatch oldGate = origin.close();
        Callers.Call<Map<String, String>> old = fleet.getAll(0, "a", "b");
        until(() -> origin.running() == 1);
        origin.write("a", "new");
        fleet.cache(0).invalidate("a");
        origin.close().countDown();

        assertThat(fleet.cache(0).getAll(List.of("a"), origin)).containsExactly(Map.entry("a", "new"));
        oldGate.countDown();
        assertThat(old.result()).containsEntry("a", "a's");
        assertThat(fleet.cache(1).getAll(List.of("a"), origin)).containsExactly(Map.entry("a", "new"));
    }

    @Test
    void invalidationBetweenPublishAndLandingReachesNobodyWhoAsksAfterIt() {
        AtomicReference<Map<String, String>> seenAfter = new AtomicReference<>();
        fleet.store().after(Call.PUBLISH_ALL, () -> {
            origin.write("a", "new");
            on(fleet.store()).invalidate("fleet:a");
            seenAfter.set(fleet.cache(0).getAll(List.of("b", "a"), origin));
        });

        assertThat(fleet.cache(0).getAll(List.of("a", "b"), origin)).containsEntry("a", "a's");
        assertThat(seenAfter.get()).containsExactly(Map.entry("b", "b's"), Map.entry("a", "new"));
    }

    @Test
    void valueFoundByTheLeaderAnswersOnlyThoseWhoCameBeforeItAsked() throws Exception {
        AtomicReference<Callers.Call<String>> later = new AtomicReference<>();
        fleet.store().before(Call.LEASE_ALL, () -> fleet.cache(1).put("a", "found"));
        fleet.store().after(Call.LEASE_ALL, () -> {
            origin.write("a", "new");
            on(fleet.store()).invalidate("fleet:a");
            later.set(fleet.callers().call(() -> fleet.cache(0).get("a", origin::load)));
            until(() -> fleet.time().waiting() == 1);
        });

        assertThat(fleet.cache(0).getAll(List.of("a", "b"), origin)).containsEntry("a", "found");
        assertThat(later.get().result()).isEqualTo("new");
    }

    @Test
    void leaseLostByOneKeyCostsTheOthersNothing() {
        fleet.store().before(Call.PUBLISH_ALL, () -> fleet.cache(1).put("b", "put meanwhile"));

        assertThat(fleet.cache(0).getAll(List.of("a", "b", "c"), origin))
                .hasSize(3)
                .containsEntry("b", "b's");
        assertThat(fleet.cache(1).getAll(List.of("a", "b", "c"), origin))
                .containsExactly(Map.entry("a", "a's"), Map.entry("b", "put meanwhile"), Map.entry("c", "c's"));
        assertThat(origin.calls()).hasSize(1);
    }
}
