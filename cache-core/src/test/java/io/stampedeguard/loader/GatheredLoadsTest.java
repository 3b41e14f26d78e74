package io.stampedeguard.loader;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.Policies.withoutJitter;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.EventType;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testkit.BulkOrigin;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** In a cache, each key of a gathered call keeps its own lease, fence, failure, and time limit. */
final class GatheredLoadsTest {
    private static final Duration WINDOW = ofMillis(2);
    private static final CachePolicy POLICY =
            withoutJitter(ofSeconds(10), ofSeconds(100)).build();

    @AutoClose
    private final Fleet fleet = new Fleet(1, POLICY);

    private final BulkOrigin origin = fleet.bulkOrigin();
    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);
    private final Loader<String, String> loader =
            new GatheringLoader<>(GatheringLoader.plain(origin), 100, WINDOW, fleet.time());

    private Callers.Call<@Nullable String> running(StampedeGuardedCache<String, String> by, String key) {
        int before = origin.running();
        origin.close();
        Callers.Call<@Nullable String> call = fleet.callers().call(() -> by.get(key, loader));
        until(() -> origin.running() == before + 1);
        return call;
    }

    private Callers.Call<@Nullable String> gathering(StampedeGuardedCache<String, String> by, String key)
            throws InterruptedException {
        int before = fleet.time().waiting();
        Callers.Call<@Nullable String> call = fleet.callers().call(() -> by.get(key, loader));
        fleet.time().awaitWaiting(before + 1);
        return call;
    }

    @ForEach
    void missesOfAllFormsShareOneCallAndLoadSeparately(boolean near) throws Exception {
        var builder = fleet.builder("own").loader(loader);
        if (near) {
            builder.nearCache(NearCacheOptions.builder().maximumSize(100).build());
        }
        try (StampedeGuardedCache<String, String> own = builder.build()) {
            var a = running(own, "a");
            var b = gathering(own, "b");
            var c = fleet.callers().call(() -> own.get("c"));
            fleet.time().awaitWaiting(2);
            var d = own.getAsync("d");
            fleet.time().awaitWaiting(3);
            var e = fleet.callers().call(() -> own.getAll(List.of("e")).get("e"));
            fleet.time().awaitWaiting(4);
            var f = own.getAllAsync(List.of("f"));
            fleet.time().awaitWaiting(5);
            origin.open();

            assertThat(Callers.results(List.of(a, b, c, e))).containsExactly("a's", "b's", "c's", "e's");
            assertThat(Callers.result(d)).isEqualTo("d's");
            assertThat(Callers.result(f)).containsEntry("f", "f's");
            assertThat(origin.calls()).containsExactly(List.of("a"), List.of("b", "c", "d", "e", "f"));
            assertThat(fleet.store().count(Call.LEASE)).isEqualTo(6);
            until(() -> fleet.listener().count(EventType.LOAD_STORED) == 6);
            assertThat(own.get("f")).isEqualTo("f's");
            assertThat(origin.calls()).hasSize(2);
        }
    }

    @Test
    void reloadsInTheBackgroundAreGathered() throws Exception {
        for (String key : List.of("a", "b", "c")) {
            cache.get(key, loader);
        }
        fleet.advance(ofSeconds(10));
        origin.close();
        assertThat(cache.get("a", loader)).as("stale").isEqualTo("a's");
        until(() -> origin.running() == 1);
        cache.get("b", loader);
        fleet.time().awaitWaiting(1);
        cache.get("c", loader);
        fleet.time().awaitWaiting(2);
        origin.open();

        until(() -> fleet.listener().count(EventType.LOAD_STORED) == 6);
        assertThat(origin.calls()).hasSize(5).endsWith(List.of("b", "c"));
    }

    @Test
    void onlyAKeyInvalidatedDuringTheCallIsNotStored() throws Exception {
        var a = running(cache, "a");
        var b = gathering(cache, "b");
        var c = gathering(cache, "c");
        fleet.advance(WINDOW);
        until(() -> origin.running() == 2);
        cache.invalidate("b");
        origin.open();

        assertThat(Callers.results(List.of(a, b, c))).containsExactly("a's", "b's", "c's");
        until(() -> on(fleet.store()).read("fleet:c") != null
                && fleet.listener().count(EventType.LOAD_FENCED) == 1); // what was left is published soon
        assertThat(on(fleet.store()).read("fleet:b")).isNull();
    }

    @Test
    void allKeysOfAFailedCallFailAndCoolDown() throws Exception {
        var a = running(cache, "a");
        var b = gathering(cache, "b");
        var c = gathering(cache, "c");
        IllegalStateException failure = new IllegalStateException("origin");
        origin.fail(failure);
        origin.open();

        assertThat(a.result()).isEqualTo("a's");
        for (var call : List.of(b, c)) {
            assertThat(call.failure()).isInstanceOf(LoadException.class).hasCause(failure);
        }
        origin.fail(null);
        for (String key : List.of("b", "c")) {
            var again = fleet.callers().call(() -> cache.get(key, loader));
            assertThat(again.failure()).isInstanceOf(RecentLoadFailureException.class);
        }
        assertThat(origin.calls()).hasSize(2);
    }

    /** The thread of the key whose time is over has made the call. */
    @Test
    void keyWhoseTimeIsOverFailsAloneAndTheOthersAreLoaded() throws Exception {
        CachePolicy brief = POLICY.toBuilder().loadTimeout(ofSeconds(1)).build();
        try (StampedeGuardedCache<String, String> other =
                fleet.builder("other").policy(brief).build()) {
            var a = running(cache, "a");
            var b = gathering(other, "b");
            var c = gathering(cache, "c");
            fleet.advance(WINDOW);
            until(() -> origin.running() == 2);
            fleet.advance(ofSeconds(1));
            assertThat(b.failure()).isInstanceOf(LoadTimeoutException.class);

            until(() -> origin.running() == 1 && fleet.time().waiting() == 1);
            origin.open();
            assertThat(Callers.results(List.of(a, c))).containsExactly("a's", "c's");
            assertThat(origin.calls()).containsExactly(List.of("a"), List.of("b", "c"), List.of("c"));
        }
    }

    @Test
    void loadsWithoutAStoreAreGathered() throws Exception {
        fleet.store().refuse();
        var a = running(cache, "a");
        var b = gathering(cache, "b");
        var c = gathering(cache, "c");
        origin.open();

        assertThat(Callers.results(List.of(a, b, c))).containsExactly("a's", "b's", "c's");
        assertThat(origin.calls()).containsExactly(List.of("a"), List.of("b", "c"));
    }

    @Test
    void eachValueMayHaveItsOwnTtl() throws Exception {
        AdaptiveLoader<String, String> adaptive = new GatheringLoader<>(
                keys -> Map.of("a", LoadedValue.of("a's").softTtl(ofSeconds(1))), 100, WINDOW, fleet.time());
        assertThat(cache.get("a", adaptive)).isEqualTo("a's");
        assertThat(cache.get("b", adaptive)).isNull();
        fleet.advance(ofSeconds(1));
        cache.get("a", adaptive);

        until(() -> fleet.listener().count(EventType.LOAD_STORED) == 3);
    }
}
