package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.report.PrefetchResult;
import io.stampedeguard.testkit.BulkOrigin;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A warm-up loads missing keys, no faster than permitted. */
final class PrefetchTest {
    @AutoClose
    private final Fleet fleet = new Fleet(2, CachePolicy.defaults());

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);
    private final BulkOrigin origin = fleet.bulkOrigin();

    @Test
    void batchesGoNoFasterThanTheRate() throws Exception {
        Callers.Call<PrefetchResult> call = fleet.callers().call(() -> cache.prefetch(keys(250), origin));
        fleet.time().awaitWaiting(1);
        assertThat(origin.calls()).hasSize(1);
        fleet.advance(ofMillis(99));
        fleet.time().awaitWaiting(1);
        assertThat(origin.calls()).hasSize(1);

        fleet.advance(ofMillis(1));
        until(() -> origin.calls().size() == 2);
        fleet.time().awaitWaiting(1);
        fleet.advance(ofMillis(100));

        assertThat(call.result()).isEqualTo(new PrefetchResult(250, 250, 0, 0));
        assertThat(origin.calls()).extracting(List::size).containsExactly(100, 100, 50);
        assertThat(fleet.listener().amounts(EventType.PREFETCHED)).containsExactly(100L, 200L, 250L);
    }

    @Test
    void onlyOneBatchFollowsASlowOneAtOnce() throws Exception {
        origin.close();
        Callers.Call<PrefetchResult> call = fleet.callers().call(() -> cache.prefetch(keys(300), origin));
        until(() -> origin.running() == 1);
        fleet.advance(ofSeconds(1));
        origin.open();

        until(() -> origin.calls().size() == 2);
        fleet.time().awaitWaiting(1);
        assertThat(origin.calls()).hasSize(2);
        fleet.advance(ofMillis(100));
        assertThat(call.result().present()).isEqualTo(300);
    }

    @Test
    void whatIsThereAnywhereIsNotLoaded() {
        fleet.cache(1).put("k1", "put");
        origin.remove("k2");

        assertThat(cache.prefetch(List.of("k0", "k1", "k2", "k0"), origin)).isEqualTo(new PrefetchResult(3, 2, 1, 0));
        assertThat(cache.prefetch(List.of("k0", "k1", "k2"), origin)).isEqualTo(new PrefetchResult(3, 2, 1, 0));
        assertThat(origin.calls()).containsExactly(List.of("k0", "k2"));
    }

    @Test
    void failedBatchIsCountedAndDoesNotEndIt() throws Exception {
        cache.put("k1", "put");
        origin.fail(new IOException("origin is down"));
        Callers.Call<PrefetchResult> call = fleet.callers().call(() -> cache.prefetch(keys(150), origin));
        fleet.time().awaitWaiting(1);
        origin.fail(null);
        fleet.advance(ofMillis(100));

        assertThat(call.result()).isEqualTo(new PrefetchResult(150, 51, 0, 99));
        assertThat(fleet.listener().amounts(EventType.PREFETCHED)).containsExactly(100L, 150L);
        assertThat(cache.faults(FaultSource.LOADER)).isEqualTo(1);
        assertThat(fleet.listener().faults().get(0)).hasRootCauseMessage("origin is down");
    }

    @Test
    void interruptBetweenBatchesEndsIt() throws Exception {
        Callers.Call<Boolean> call = fleet.callers().call(() -> {
            assertThatThrownBy(() -> cache.prefetch(keys(300), origin))
                    .isInstanceOf(WaitInterruptedException.class)
                    .hasMessage("interrupted while prefetching for cache 'fleet', after 100 of 300 keys");
            return Thread.interrupted();
        });
        fleet.time().awaitWaiting(1);

        call.interrupt();

        assertThat(call.result()).as("the flag is set").isTrue();
        assertThat(origin.calls()).hasSize(1);
        assertThat(on(fleet.store()).read("fleet:k99")).isNotNull();
    }

    @Test
    void interruptOfALoadEndsIt() throws Exception {
        origin.close();
        Callers.Call<Boolean> call = fleet.callers().call(() -> {
            assertThatThrownBy(() -> cache.prefetch(keys(300), origin)).isInstanceOf(WaitInterruptedException.class);
            return Thread.interrupted();
        });
        until(() -> origin.running() == 1);

        call.interrupt();

        assertThat(call.result()).isTrue();
        assertThat(origin.calls()).hasSize(1);
    }

    @Test
    void closeEndsIt() throws Exception {
        Callers.Call<PrefetchResult> call = fleet.callers().call(() -> cache.prefetch(keys(300), origin));
        fleet.time().awaitWaiting(1);
        cache.close();
        fleet.advance(ofMillis(100));

        assertThat(call.failure()).isInstanceOf(IllegalStateException.class).hasMessage("cache 'fleet' is closed");
    }

    @Test
    void noKeysAreNoWork() {
        assertThat(cache.prefetch(List.of(), origin)).isEqualTo(new PrefetchResult(0, 0, 0, 0));
        assertThat(fleet.store().count(Call.READ_ALL)).isZero();
    }

    private static List<String> keys(int number) {
        return IntStream.range(0, number).mapToObj(i -> "k" + i).toList();
    }
}
