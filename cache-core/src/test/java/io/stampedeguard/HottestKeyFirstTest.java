package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.loader.BulkLoader;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When all permits are taken, the key for which most callers wait is loaded next. */
final class HottestKeyFirstTest {
    private static final CachePolicy ONE_AT_ONCE = CachePolicy.builder()
            .maxConcurrentLoads(1)
            .loadTimeout(ofSeconds(100))
            .waitTimeout(ofSeconds(10))
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(1, ONE_AT_ONCE);

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);
    private final List<String> loaded = new CopyOnWriteArrayList<>();
    private final List<Callers.Call<?>> calls = new ArrayList<>();
    private final List<CompletableFuture<?>> futures = new ArrayList<>();
    private final Loader<String, String> loader = key -> {
        loaded.add(key);
        return key + "'s";
    };
    private final BulkLoader<String, String> bulkLoader = keys -> {
        loaded.add(String.join("+", keys.stream().sorted().toList()));
        return keys.stream().collect(Collectors.toMap(Function.identity(), key -> key + "'s"));
    };
    private int waiting;

    /** One load holds the only permit. */
    @BeforeEach
    void takeThePermit() {
        fleet.origin().close();
        calls.add(fleet.get(0, "slow"));
        until(() -> fleet.origin().running() == 1);
    }

    private void get(String key) throws InterruptedException {
        calls.add(fleet.callers().call(() -> cache.get(key, loader)));
        fleet.time().awaitWaiting(++waiting);
    }

    private void getAll(String... keys) throws InterruptedException {
        calls.add(fleet.callers().call(() -> cache.getAll(List.of(keys), bulkLoader)));
        fleet.time().awaitWaiting(++waiting);
    }

    /** Follows the flight of a key without a thread. */
    private void followAsync(String key) {
        int before = cache.explain(key).waiters();
        futures.add(cache.getAsync(key, same -> CompletableFuture.completedFuture("of a follower")));
        until(() -> cache.explain(key).waiters() == before + 1);
    }

    private void awaitAll() throws Exception {
        fleet.origin().open();
        for (Callers.Call<?> call : calls) {
            call.result();
        }
        futures.forEach(CompletableFuture::join);
    }

    @Test
    void keyWithMostWaitingCallersIsLoadedFirst() throws Exception {
        get("cold");
        get("hot");
        get("hot");
        get("warm");
        get("hot");
        get("warm");

        awaitAll();

        assertThat(loaded).containsExactly("hot", "warm", "cold");
    }

    @Test
    void callersThatWaitWithoutAThreadCount() throws Exception {
        get("warm");
        get("warm");
        get("hot");
        followAsync("hot");
        followAsync("hot");

        awaitAll();

        assertThat(loaded).containsExactly("hot", "warm");
    }

    @Test
    void asynchronousLeadersQueueLikeOthers() throws Exception {
        get("cold");
        futures.add(cache.getAsync("hot", key -> {
            loaded.add(key);
            return CompletableFuture.completedFuture("one");
        }));
        fleet.time().awaitWaiting(++waiting);
        get("hot");

        awaitAll();

        assertThat(loaded).containsExactly("hot", "cold");
    }

    @Test
    void followersOfAllKeysOfALoadAreAdded() throws Exception {
        get("warm");
        get("warm");
        getAll("a", "b", "c");
        get("a");
        get("b");

        awaitAll();

        assertThat(loaded).containsExactly("a+b+c", "warm");
    }

    @Test
    void batchOfManyKeysIsOneCaller() throws Exception {
        getAll("a", "b", "c");
        get("warm");
        get("warm");

        awaitAll();

        assertThat(loaded).containsExactly("warm", "a+b+c");
    }

    @Test
    void callersThatHaveGivenUpDoNotCount() throws Exception {
        get("crowded");
        followAsync("crowded");
        followAsync("crowded");
        get("hot");
        get("hot");
        futures.forEach(future -> future.cancel(false));
        until(() -> cache.explain("crowded").waiters() == 0);
        futures.clear();

        awaitAll();

        assertThat(loaded).containsExactly("hot", "crowded");
    }

    @Test
    void coldKeyThatHasWaitedLongIsNotOvertakenForEver() throws Exception {
        get("cold");
        fleet.advance(ofSeconds(3));
        get("hot");
        get("hot");
        get("hot");

        awaitAll();

        assertThat(loaded).containsExactly("cold", "hot");
    }

    @Test
    void coldKeyStillEndsAtItsOwnDeadline() throws Exception {
        Callers.Call<String> cold = fleet.callers().call(() -> cache.get("cold", loader));
        fleet.time().awaitWaiting(++waiting);
        fleet.advance(ofSeconds(5));
        get("hot");
        fleet.advance(ofSeconds(5));

        assertThat(cold.failure()).isInstanceOf(OriginBusyException.class);
        awaitAll();
        assertThat(loaded).containsExactly("hot");
    }
}
