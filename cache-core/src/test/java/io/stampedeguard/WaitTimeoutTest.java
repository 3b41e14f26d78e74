package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The time in which a call loads itself is no wait, and what is in the store when the time is over is an answer. */
final class WaitTimeoutTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .leaseTtl(ofSeconds(60))
            .waitTimeout(ofSeconds(8))
            .loadTimeout(ofSeconds(200))
            .maxConcurrentLoads(2)
            .jitter(0)
            .build();

    private final Set<String> slow = ConcurrentHashMap.newKeySet();
    private volatile Duration slowness = ofSeconds(16); // twice the waitTimeout
    private final AtomicReference<Runnable> onceHeld = new AtomicReference<>();
    private final AtomicReference<Runnable> onceLoading = new AtomicReference<>();

    @AutoClose
    private final Fleet fleet = new Fleet(
            2,
            POLICY,
            cache -> cache.loader(this::load).listener(new CacheListener() {
                @Override
                public void onEvent(String name, CacheEvent event) {
                    Runnable once = event == EventType.LEASE_HELD ? onceHeld.getAndSet(null) : null;
                    if (once != null) {
                        once.run();
                    }
                }
            }));

    private String load(String key) {
        Runnable once = onceLoading.getAndSet(null);
        if (once != null) {
            once.run();
        }
        if (slow.contains(key)) {
            fleet.advance(slowness);
        }
        return key + "'s";
    }

    private Map<String, String> loadAll(Set<String> keys) {
        return keys.stream().collect(Collectors.toMap(key -> key, this::load));
    }

    /** The forms of a call for many keys. */
    private enum Form {
        ONE_BY_ONE,
        ONE_BY_ONE_ASYNC,
        TOGETHER,
        TOGETHER_ASYNC
    }

    private Callers.Call<Map<String, String>> getAll(Form form, int process, String... keys) {
        StampedeGuardedCache<String, String> cache = fleet.cache(process);
        List<String> all = List.of(keys);
        return fleet.callers().call(() -> switch (form) {
            case ONE_BY_ONE -> cache.getAll(all);
            case ONE_BY_ONE_ASYNC -> joined(cache.getAllAsync(all));
            case TOGETHER -> cache.getAll(all, this::loadAll);
            case TOGETHER_ASYNC -> joined(cache.getAllAsync(all, this::loadAll));
        });
    }

    private static <T> T joined(CompletableFuture<T> future) throws Exception {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw (Exception) e.getCause();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "ONE_BY_ONE, 0",
        "ONE_BY_ONE, 1",
        "ONE_BY_ONE_ASYNC, 0",
        "ONE_BY_ONE_ASYNC, 1",
        "TOGETHER, 0",
        "TOGETHER, 1",
        "TOGETHER_ASYNC, 0",
        "TOGETHER_ASYNC, 1"
    })
    void loadOfTheCallItselfIsNoWait(Form form, int process) throws Exception {
        slow.add("a");
        Callers.Call<String> other = fleet.loading(process, "b");
        Callers.Call<Map<String, String>> call = getAll(form, 0, "a", "b");
        until(() -> fleet.time().monotonicNanos() == ofSeconds(16).toNanos());
        fleet.time().awaitWaiting(1);

        fleet.advance(ofMillis(7_999));
        fleet.time().awaitWaiting(1);
        fleet.origin().open();

        assertThat(call.result()).containsExactly(Map.entry("a", "a's"), Map.entry("b", "one"));
        assertThat(other.result()).isEqualTo("one");
    }

    @ForEach
    void otherTimeIsLimitedAsBefore(Form form) throws Exception {
        slow.add("a");
        fleet.loading(1, "b");
        Callers.Call<Map<String, String>> call = getAll(form, 0, "a", "b");
        until(() -> fleet.time().monotonicNanos() == ofSeconds(16).toNanos());
        fleet.time().awaitWaiting(1);

        fleet.advanceUntil(call::isOver, ofMillis(100));

        BulkLoadException e = (BulkLoadException) call.failure();
        assertThat(e.values()).containsExactly(Map.entry("a", "a's"));
        assertThat(e.failures().get("b")).isInstanceOf(WaitTimeoutException.class);
        assertThat(fleet.time().monotonicNanos()).isEqualTo(ofSeconds(24).toNanos());
    }

    @ParameterizedTest
    @EnumSource(names = {"TOGETHER", "TOGETHER_ASYNC"})
    void waitForAPermitCountsAndTheLoadDoesNot(Form form) throws Exception {
        slow.add("a");
        fleet.loading(1, "b");
        CountDownLatch permits = fleet.bulkOrigin().close();
        fleet.getAll(0, "x");
        fleet.getAll(0, "y");
        until(() -> fleet.bulkOrigin().running() == 2);
        Callers.Call<Map<String, String>> call = getAll(form, 0, "a", "b");
        fleet.time().awaitWaiting(1);
        fleet.advance(ofSeconds(6));
        permits.countDown();
        until(() -> fleet.time().monotonicNanos() == ofSeconds(22).toNanos());
        fleet.time().awaitWaiting(1);

        fleet.advance(ofMillis(1_999));
        fleet.time().awaitWaiting(1);
        fleet.origin().open();

        assertThat(call.result()).containsExactly(Map.entry("a", "a's"), Map.entry("b", "one"));
    }

    @ParameterizedTest
    @EnumSource(names = {"ONE_BY_ONE", "ONE_BY_ONE_ASYNC"})
    void eachKeyLoadedByItselfMayWaitAsLongAsByGet(Form form) throws Exception {
        String[] keys = {"a", "b", "c"};
        holdForLong(keys);
        Callers.Call<Map<String, String>> call = getAll(form, 0, keys);

        for (String key : keys) {
            fleet.time().awaitWaiting(1);
            fleet.advance(ofSeconds(6));
            fleet.time().awaitWaiting(1);
            fleet.cache(1).put(key, "put");
        }

        assertThat(call.result()).hasSize(3).containsValue("put").doesNotContainValue("a's");
    }

    @ForEach
    void failedWaitsShareOneTimeoutAndOtherKeysAreLoaded(Form form) throws Exception {
        holdForLong("a", "b", "c");
        Callers.Call<Map<String, String>> call = getAll(form, 0, "a", "b", "c", "d");

        fleet.advanceUntil(call::isOver, ofMillis(100));

        BulkLoadException e = (BulkLoadException) call.failure();
        assertThat(e.values()).containsExactly(Map.entry("d", "d's"));
        assertThat(e.failures().keySet()).containsExactly("a", "b", "c");
        assertThat(e.failures().values()).hasOnlyElementsOfType(WaitTimeoutException.class);
        assertThat(fleet.time().monotonicNanos()).isEqualTo(ofSeconds(8).toNanos());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void callersThatLoadTheSameKeysOneByOneAllGetAll(int process) throws Exception {
        String[] keys = IntStream.range(0, 40).mapToObj(i -> "k" + i).toArray(String[]::new);
        slow.addAll(List.of(keys));
        slowness = ofSeconds(1);
        onceLoading.set(() -> until(() -> fleet.time().waiting() == 1)); // a call's time begins before its first look
        Callers.Call<Map<String, String>> one = getAll(Form.ONE_BY_ONE, 0, keys);
        Callers.Call<Map<String, String>> other = getAll(Form.ONE_BY_ONE, process, keys);

        assertThat(one.result()).hasSize(40);
        assertThat(other.result()).hasSize(40);
    }

    /** Those who wait see no difference between a load of one key and one of many. */
    @ParameterizedTest
    @CsvSource({"false, 0", "false, 1", "true, 0", "true, 1"})
    void aLoadBeyondTheWaitTimeoutIsStoredAndFailsItsFollowers(boolean ofMany, int process) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        onceLoading.set(() -> {
            begun.countDown();
            Fleet.until(() -> goesOn.getCount() == 0);
        });
        Callers.Call<Map<String, String>> leader = ofMany
                ? getAll(Form.TOGETHER, 0, "a", "b")
                : fleet.callers().call(() -> Map.of("a", fleet.cache(0).get("a")));
        begun.await();
        Callers.Call<String> follower =
                fleet.callers().call(() -> fleet.cache(process).get("a", key -> "its own"));
        fleet.advanceUntil(follower::isOver, ofSeconds(8));
        goesOn.countDown();

        assertThat(follower.failure()).isInstanceOf(WaitTimeoutException.class);
        assertThat(leader.result()).containsEntry("a", "a's");
        assertThat(fleet.cache(process).get("a", key -> "its own")).isEqualTo("a's");
    }

    /** While a caller of this process loads, another process changes the keys. */
    @ForEach
    void entryInTheStoreAnswersWhenTheTimeIsOver(boolean async) throws Exception {
        fleet.loading(0, "k");
        CompletableFuture<String> future = async
                ? fleet.cache(0).getAsync("k", key -> new CompletableFuture<>())
                : CompletableFuture.supplyAsync(() -> fleet.cache(0).get("k"), task -> new Thread(task).start());
        until(() -> fleet.gauges(0).waiting() == 1);
        fleet.cache(1).put("k", "put");

        fleet.advance(ofSeconds(8));

        assertThat(future.get()).isEqualTo("put");
    }

    /** The caller is paused after it was told that another process loads, until the time is over. */
    @ForEach
    void whatTheStoreHasAnswersAPausedCallerWhoseTimeIsOver(Form form) throws Exception {
        holdForLong("a", "b");
        onceHeld.set(() -> {
            fleet.cache(1).put("a", "put");
            fleet.cache(1).put("b", "put");
            fleet.advance(ofSeconds(8));
        });

        assertThat(getAll(form, 0, "a", "b").result()).containsExactly(Map.entry("a", "put"), Map.entry("b", "put"));
    }

    @Test
    void storeIsReadOnceForAllKeysAtTheTimeout() throws Exception {
        fleet.bulkOrigin().close();
        fleet.getAll(0, "a", "b", "c");
        until(() -> fleet.bulkOrigin().running() == 1);
        Callers.Call<Map<String, String>> call = getAll(Form.TOGETHER, 0, "a", "b", "c");
        fleet.time().awaitWaiting(1);
        fleet.cache(1).put("a", "put");
        fleet.cache(1).put("c", "put");
        int reads = fleet.store().count(Call.READ_ALL);

        fleet.advance(ofSeconds(8));

        BulkLoadException e = (BulkLoadException) call.failure();
        assertThat(e.values()).containsExactly(Map.entry("a", "put"), Map.entry("c", "put"));
        assertThat(e.failures().get("b")).isInstanceOf(WaitTimeoutException.class);
        assertThat(fleet.store().count(Call.READ_ALL)).isEqualTo(reads + 1);
    }

    @ParameterizedTest
    @CsvSource({"ONE_BY_ONE, 0", "ONE_BY_ONE, 1", "ONE_BY_ONE_ASYNC, 0", "ONE_BY_ONE_ASYNC, 1"})
    void whatOthersHaveLoadedAnswersKeysWithoutTimeToWait(Form form, int process) throws Exception {
        holdForLong("a");
        Callers.Call<String> other = fleet.loading(process, "b");
        Callers.Call<Map<String, String>> call = getAll(form, 0, "a", "b", "c");
        fleet.time().awaitWaiting(1);
        onceLoading.set(() -> {
            fleet.origin().open();
            until(other::isOver);
        });

        fleet.advance(ofSeconds(8));

        BulkLoadException e = (BulkLoadException) call.failure();
        assertThat(e.values()).containsExactly(Map.entry("b", "one"), Map.entry("c", "c's"));
        assertThat(e.failures().get("a"))
                .isInstanceOf(WaitTimeoutException.class)
                .hasMessageContaining("did not end within the waitTimeout");
        assertThat(fleet.time().monotonicNanos()).isEqualTo(ofSeconds(8).toNanos());
    }

    @ParameterizedTest
    @CsvSource({"ONE_BY_ONE, 0", "ONE_BY_ONE, 1", "ONE_BY_ONE_ASYNC, 0", "ONE_BY_ONE_ASYNC, 1"})
    void aWaitThatSucceedsTakesNoTimeFromOtherKeys(Form form, int process) throws Exception {
        Callers.Call<String> other = fleet.loading(process, "a");
        holdForLong("b");
        Callers.Call<Map<String, String>> call = getAll(form, 0, "a", "b", "c");
        fleet.time().awaitWaiting(1);
        onceLoading.set(() -> {
            fleet.origin().open();
            until(other::isOver);
        });
        fleet.advance(ofSeconds(8));
        fleet.time().awaitWaiting(1);

        fleet.advance(ofMillis(7_999));
        fleet.time().awaitWaiting(1);
        fleet.cache(1).put("b", "put");

        assertThat(call.result()).isEqualTo(Map.of("a", "one", "b", "put", "c", "c's"));
    }

    @ParameterizedTest
    @CsvSource({"ONE_BY_ONE, false", "ONE_BY_ONE, true", "ONE_BY_ONE_ASYNC, false", "ONE_BY_ONE_ASYNC, true"})
    void whatAnotherCallLoadsTogetherIsAnAnswerAlsoInAnOutage(Form form, boolean isDown) throws Exception {
        if (isDown) {
            fleet.store().breaking().kill();
        }
        fleet.bulkOrigin().close();
        Callers.Call<Map<String, String>> other = fleet.getAll(0, "a", "b");
        until(() -> fleet.bulkOrigin().running() == 1);
        Callers.Call<Map<String, String>> call = getAll(form, 0, "a", "b", "c");
        fleet.time().awaitWaiting(1);
        onceLoading.set(() -> {
            fleet.bulkOrigin().open();
            until(other::isOver);
        });

        fleet.advance(ofSeconds(8));

        assertThat(call.result()).isEqualTo(Map.of("a", "a's", "b", "b's", "c", "c's"));
    }

    @ParameterizedTest
    @EnumSource(names = {"ONE_BY_ONE", "ONE_BY_ONE_ASYNC"})
    void failureStatesThatAnotherKeyTookTheTimeout(Form form) throws Exception {
        holdForLong("a");
        holdForLong("b");
        Callers.Call<Map<String, String>> held = getAll(form, 0, "a", "b");
        fleet.time().awaitWaiting(1);
        fleet.advance(ofSeconds(8));

        assertThat(((BulkLoadException) held.failure()).failures().get("b"))
                .isInstanceOf(WaitTimeoutException.class)
                .hasMessage(
                        "'fleet:b' was being loaded by another caller, and this call had no time left to wait for it:"
                                + " another of its keys took the waitTimeout");

        fleet.bulkOrigin().close();
        fleet.getAll(0, "x");
        fleet.getAll(0, "y");
        until(() -> fleet.bulkOrigin().running() == 2);
        Callers.Call<Map<String, String>> withoutPermit = getAll(form, 0, "c", "d");
        fleet.time().awaitWaiting(1);
        fleet.advance(ofSeconds(8));

        assertThat(((BulkLoadException) withoutPermit.failure()).failures().get("d"))
                .isInstanceOf(OriginBusyException.class)
                .hasMessage("no permit was free to load 'fleet:d', and this call had no time left to wait for it:"
                        + " another of its keys took the waitTimeout");
    }

    @Test
    void aRejectedLoadIsNoWaitInVain() throws Exception {
        AtomicReference<String> rejected = new AtomicReference<>("the first");
        try (Fleet rejecting = new Fleet(
                2,
                POLICY,
                cache -> cache.loader(key -> key + "'s").loaderExecutor(task -> {
                    if (rejected.getAndSet(null) != null) {
                        throw new RejectedExecutionException("full, says the test");
                    }
                    task.run();
                }))) {
            for (String key : List.of("b", "c")) {
                on(rejecting.store()).lease("fleet:" + key, LeaseToken.next(), null, ofSeconds(60));
            }
            Callers.Call<Map<String, String>> call =
                    rejecting.callers().call(() -> rejecting.cache(0).getAll(List.of("a", "b", "c")));
            for (String key : List.of("b", "c")) {
                rejecting.time().awaitWaiting(1);
                rejecting.advance(ofSeconds(6));
                rejecting.time().awaitWaiting(1);
                rejecting.cache(1).put(key, "put");
            }

            BulkLoadException e = (BulkLoadException) call.failure();
            assertThat(e.values()).isEqualTo(Map.of("b", "put", "c", "put"));
            assertThat(e.failures().get("a")).isInstanceOf(OriginBusyException.class);
        }
    }

    private void holdForLong(String... keys) {
        for (String key : keys) {
            on(fleet.store()).lease("fleet:" + key, LeaseToken.next(), null, ofSeconds(60));
        }
    }
}
