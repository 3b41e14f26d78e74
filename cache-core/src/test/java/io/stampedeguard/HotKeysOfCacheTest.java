package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.stampedeguard.event.EventType;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Waiting callers are counted, each wait once, in every form of waiting; other callers are not. */
final class HotKeysOfCacheTest {
    @AutoClose
    private final Fleet fleet = new Fleet(2, CachePolicy.defaults());

    @Test
    void hitsAndLoadsOfOnesOwnAreNotCounted() {
        StampedeGuardedCache<String, String> cache = fleet.cache(0);
        for (int i = 0; i < 100; i++) {
            cache.get("k", key -> "one");
            cache.getAll(List.of("k", "l"), fleet.bulkOrigin());
        }

        assertThat(cache.hotKeys(10)).isEmpty();
    }

    @Test
    void followersOfAFlightAreCountedAndItsLeaderIsNot() throws Exception {
        fleet.origin().close();
        List<Callers.Call<String>> calls = new ArrayList<>();
        calls.add(fleet.get(0, "k"));
        until(() -> fleet.origin().running() == 1);
        for (int i = 0; i < 5; i++) {
            calls.add(fleet.get(0, "k"));
        }
        CompletableFuture<String> later =
                fleet.cache(0).getAsync("k", key -> CompletableFuture.completedFuture("not asked"));
        Callers.Call<?> bulk = fleet.getAll(0, "k");
        until(() -> fleet.cache(0).hotKeys(1).equals(Map.of("k", 7L)));
        fleet.origin().open();

        assertThat(Callers.results(calls)).containsOnly("one");
        assertThat(later.get()).isEqualTo("one");
        bulk.result();
        assertThat(fleet.cache(0).hotKeys(10)).containsExactly(entry("k", 7L));
        assertThat(fleet.cache(1).hotKeys(10)).as("each process counts its own").isEmpty();
    }

    @Test
    void leaderWaitingForAnotherProcessIsCountedOnceDespiteRetries() throws Exception {
        Callers.Call<String> leader = fleet.loading(0, "k");
        fleet.store().loseNotices();
        Callers.Call<String> peer = fleet.get(1, "k");
        fleet.advanceUntil(() -> fleet.listener().count(EventType.LEASE_HELD) >= 5, ofMillis(5));
        fleet.origin().open();
        leader.result();
        fleet.advanceUntil(peer::isOver, ofMillis(5));

        assertThat(fleet.cache(1).hotKeys(10)).containsExactly(entry("k", 1L));
    }

    @Test
    void batchThatWaitsForAnotherProcessCountsEachOfItsKeysOnce() throws Exception {
        fleet.bulkOrigin().close();
        Callers.Call<?> leader = fleet.getAll(0, "a", "b");
        until(() -> fleet.bulkOrigin().running() == 1);
        Callers.Call<?> peer = fleet.getAll(1, "a", "b");
        until(() -> fleet.cache(1).hotKeys(10).size() == 2);
        fleet.bulkOrigin().open();
        leader.result();
        peer.result();

        assertThat(fleet.cache(1).hotKeys(10)).containsExactly(entry("a", 1L), entry("b", 1L));
        assertThat(fleet.listener().count(EventType.WAIT_ANSWERED)).isPositive();
    }

    @Test
    void noKeysAtAllCannotBeAskedFor() {
        assertThatThrownBy(() -> fleet.cache(0).hotKeys(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cache 'fleet': hotKeys(0) is less than 1");
    }
}
