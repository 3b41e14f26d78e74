package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadTimeoutException;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.RecentLoadFailureException;
import io.stampedeguard.loader.RecursiveLoadException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.BulkOrigin;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What happens to many keys when their loader fails for them, and to those for which it was not called. */
final class BulkFailureTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(ofSeconds(100))
            .leaseTtl(ofSeconds(60))
            .loadTimeout(ofSeconds(5))
            .waitTimeout(ofSeconds(8))
            .failureCoolDown(ofMillis(200))
            .maxConcurrentLoads(1)
            .jitter(0)
            .build();

    private final Fleet fleet = new Fleet(2, POLICY);
    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);
    private final BulkOrigin origin = fleet.bulkOrigin();
    private final IOException down = new IOException("origin is down");

    @AfterEach
    void close() {
        fleet.close();
    }

    @Test
    void failedLoadFailsEachOfItsKeysAndKeepsTheOthers() {
        cache.put("b", "put");
        origin.fail(down);

        BulkLoadException e = failureOf("a", "b", "c");

        assertThat(e)
                .hasMessage(
                        "2 of 3 keys of cache 'fleet' have no answer; the first failure: the loader failed for 'fleet:a'"
                                + " (java.io.IOException: origin is down)");
        assertThat(e.values()).containsExactly(Map.entry("b", "put"));
        assertThat(e.failures()).containsOnlyKeys("a", "c");
        e.failures()
                .values()
                .forEach(each ->
                        assertThat(each).isInstanceOf(LoadException.class).hasCause(down));
        assertThat(e.failures().get("c")).hasMessage("the loader failed for 'fleet:c'");
        assertThat(e).cause().isSameAs(e.failures().get("a"));
        assertThatThrownBy(() -> e.values().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> e.failures().clear()).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void failuresComeInTheOrderOfTheKeys() {
        origin.fail(down);

        assertThat(failureOf("c", "a", "b").failures().keySet()).containsExactly("c", "a", "b");
    }

    @Test
    void failedLoadCoolsItsOwnKeysDownAndNoOthers() {
        origin.fail(down);
        failureOf("a", "b");
        origin.fail(null);

        BulkLoadException e = failureOf("a", "b", "c");

        assertThat(e.values()).containsExactly(Map.entry("c", "c's"));
        assertThat(e.failures()).containsOnlyKeys("a", "b");
        assertThat(e.failures().get("a")).isInstanceOf(RecentLoadFailureException.class);
        assertThat(origin.calls()).containsExactly(List.of("a", "b"), List.of("c"));
        assertThat(fleet.store().count(Call.FAIL_ALL)).isEqualTo(1);

        fleet.advance(ofMillis(200));
        assertThat(fleet.cache(1).getAll(List.of("a", "b"), origin)).hasSize(2);
    }

    @Test
    void eachKeyCoolsDownByItsOwnRowOfFailures() {
        origin.fail(down);
        failureOf("a");
        fleet.advance(ofMillis(200));
        failureOf("a", "b");
        fleet.advance(ofMillis(200));
        origin.fail(null);

        BulkLoadException e = failureOf("a", "b");

        assertThat(e.values()).as("failed once: 200 ms").containsOnlyKeys("b");
        assertThat(((RecentLoadFailureException) e.failures().get("a")).retryAfter())
                .as("failed twice: 400 ms")
                .isEqualTo(ofMillis(200));
    }

    @Test
    void nullInPlaceOfAMapIsAFailure() {
        assertThatThrownBy(() -> cache.getAll(List.of("a"), keys -> null))
                .isInstanceOf(BulkLoadException.class)
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage("the bulk loader returned null");
    }

    @Test
    void mapThatThrowsWhenItIsAskedIsAFailure() {
        Map<String, String> touchy = new TreeMap<>((one, other) -> {
            throw new IllegalArgumentException("no order");
        });

        assertThatThrownBy(() -> cache.getAll(List.of("a", "b"), keys -> {
                    touchy.put("z", "");
                    return touchy;
                }))
                .isInstanceOf(BulkLoadException.class)
                .hasRootCauseMessage("no order");
    }

    @Test
    void errorOfTheLoaderIsThrownAsItIsAndNoLeaseIsLeft() {
        origin.fail(new LinkageError("no such class"));

        assertThatThrownBy(() -> cache.getAll(List.of("a", "b"), origin))
                .isInstanceOf(LinkageError.class)
                .hasMessage("no such class");
        assertThat(on(fleet.store()).lease("fleet:b", LeaseToken.next(), null, ofSeconds(1)))
                .isInstanceOf(LeaseAttempt.Failed.class);
        origin.fail(null);
        fleet.advance(ofMillis(200));
        assertThat(cache.getAll(List.of("a", "b"), origin)).hasSize(2);
    }

    @Test
    void interruptedLoaderFailsItsCallerAndTheOthersLoadForThemselves() throws Exception {
        origin.close();
        Callers.Call<Boolean> leader = fleet.callers().call(() -> {
            BulkLoadException e = failureOf("a", "b");
            assertThat(e.failures().get("a"))
                    .isInstanceOf(LoadException.class)
                    .hasCauseInstanceOf(InterruptedException.class);
            return Thread.interrupted();
        });
        until(() -> origin.running() == 1);
        Callers.Call<Map<String, String>> follower = fleet.getAll(0, "b", "a");
        fleet.time().awaitWaiting(1);

        leader.interrupt();
        until(() -> origin.calls().size() == 2);
        origin.open();

        assertThat(leader.result()).as("its flag is set again").isTrue();
        assertThat(follower.result()).hasSize(2);
    }

    @Test
    void loadTimeoutCutsTheWholeCallOff() throws Exception {
        cache.put("b", "put");
        origin.close();
        Callers.Call<Map<String, String>> leader = fleet.getAll(0, "a", "b", "c");
        until(() -> origin.running() == 1);
        Callers.Call<String> follower = fleet.get(0, "c");
        fleet.time().awaitWaiting(1);

        fleet.advance(ofSeconds(5));

        BulkLoadException e = (BulkLoadException) leader.failure();
        assertThat(e.values()).containsOnlyKeys("b");
        assertThat(e.failures().get("a"))
                .isInstanceOf(LoadTimeoutException.class)
                .hasMessage("the loader for 'fleet:a' did not return within the loadTimeout PT5S");
        assertThat(e.failures().get("c")).isInstanceOf(LoadTimeoutException.class);
        assertThat(follower.failure()).isInstanceOf(LoadTimeoutException.class);
        until(() -> fleet.store().done(Call.FAIL_ALL) == 1);
        assertThat(on(fleet.store()).lease("fleet:c", LeaseToken.next(), null, ofSeconds(1)))
                .isInstanceOf(LeaseAttempt.Failed.class);
        assertThat(fleet.listener().count(EventType.LOAD_TIMED_OUT)).isEqualTo(2);
    }

    @Test
    void twoBatchesOfAProcessThatLoadsOneAtATimeLoadOneAfterTheOther() throws Exception {
        origin.close();
        Callers.Call<Map<String, String>> first = fleet.getAll(0, "a", "b");
        until(() -> origin.running() == 1);
        Callers.Call<Map<String, String>> second = fleet.getAll(0, "b", "c");
        fleet.time().awaitWaiting(1);
        origin.open();

        assertThat(first.result()).containsOnlyKeys("a", "b");
        assertThat(second.result()).containsOnlyKeys("b", "c");
        assertThat(origin.mostAtOnce()).isEqualTo(1);
        assertThat(origin.loads("b")).isEqualTo(1);
    }

    @Test
    void batchWithoutAPermitInTimeHasWhatOthersLoadedAndIsToldThatTheOriginIsBusy() throws Exception {
        CachePolicy patient = POLICY.toBuilder().loadTimeout(ofSeconds(30)).build();
        try (Fleet busy = new Fleet(2, patient)) {
            busy.bulkOrigin().close();
            busy.getAll(0, "slow");
            until(() -> busy.bulkOrigin().running() == 1);
            Callers.Call<Map<String, String>> late = busy.getAll(0, "a", "b");
            busy.time().awaitWaiting(1);
            busy.cache(1).put("a", "put");

            busy.advance(patient.waitTimeout());

            BulkLoadException e = (BulkLoadException) late.failure();
            assertThat(e.values()).containsExactly(Map.entry("a", "put"));
            assertThat(e.failures().get("b"))
                    .isInstanceOf(OriginBusyException.class)
                    .hasMessageContaining("'fleet:b'")
                    .hasMessageContaining("maxConcurrentLoads");
        }
    }

    @Test
    void executorWithoutRoomMeansThatEachKeysOriginIsBusy() {
        try (StampedeGuardedCache<String, String> full = cacheOn(task -> {
            throw new RejectedExecutionException("full");
        })) {
            BulkLoadException e =
                    catchThrowableOfType(BulkLoadException.class, () -> full.getAll(List.of("a", "b"), origin));
            assertThat(e.failures()).containsOnlyKeys("a", "b");
            assertThat(e.failures().get("b"))
                    .isInstanceOf(OriginBusyException.class)
                    .hasMessage("the loaderExecutor rejected the load of 'fleet:b'")
                    .hasCauseInstanceOf(RejectedExecutionException.class);
            until(() -> fleet.store().done(Call.ABANDON_ALL) == 1);
        }
        assertThat(cache.getAll(List.of("a", "b"), origin)).hasSize(2);
    }

    @Test
    void bulkLoaderRunsOnTheExecutor() {
        ExecutorService threads = Executors.newSingleThreadExecutor(task -> new Thread(task, "loader-thread"));
        try (StampedeGuardedCache<String, String> elsewhere = cacheOn(threads)) {
            assertThat(elsewhere.getAll(
                            List.of("a"),
                            keys -> Map.of("a", Thread.currentThread().getName())))
                    .containsExactly(Map.entry("a", "loader-thread"));
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void leaderThatIsInterruptedCancelsItsLoadAndGivesAllLeasesBack() throws Exception {
        ExecutorService threads = Executors.newSingleThreadExecutor();
        origin.close();
        try (StampedeGuardedCache<String, String> elsewhere = cacheOn(threads)) {
            Callers.Call<BulkLoadException> call = fleet.callers()
                    .call(() -> catchThrowableOfType(
                            BulkLoadException.class, () -> elsewhere.getAll(List.of("a", "b"), origin)));
            until(() -> origin.running() == 1);

            call.interrupt();

            assertThat(call.result().failures().values())
                    .hasSize(2)
                    .allSatisfy(each -> assertThat(each).isInstanceOf(WaitInterruptedException.class));
            until(() -> fleet.store().done(Call.ABANDON_ALL) == 1);
            until(() -> origin.running() == 0);
        } finally {
            threads.shutdownNow();
        }
        origin.open();
        assertThat(cache.getAll(List.of("a", "b"), origin)).hasSize(2);
    }

    private StampedeGuardedCache<String, String> cacheOn(Executor executor) {
        return StampedeGuardedCache.<String, String>builder("fleet")
                .store(fleet.store())
                .codec(StringCodec.of())
                .policy(POLICY)
                .loaderExecutor(executor)
                .timeSource(fleet.time())
                .build();
    }

    @Test
    void loaderMayAskForOtherKeysUnderItsOwnPermit() {
        Map<String, String> answer = cache.getAll(List.of("a", "b"), keys -> {
            Map<String, String> parts = cache.getAll(List.of("x", "y"), origin);
            return Map.of("a", parts.get("x"), "b", cache.get("z", origin::load));
        });

        assertThat(answer).containsExactly(Map.entry("a", "x's"), Map.entry("b", "z's"));
    }

    @Test
    void loaderThatAsksForItsOwnKeysIsToldSoAndHasTheOthers() {
        List<BulkLoadException> told = new ArrayList<>();
        assertThat(cache.getAll(List.of("a", "b"), keys -> {
                    told.add(failureOf("b", "c"));
                    assertThatThrownBy(() -> cache.get("a", origin::load)).isInstanceOf(RecursiveLoadException.class);
                    return Map.of("a", "1", "b", "2");
                }))
                .hasSize(2);

        assertThat(told.get(0).values()).containsOnlyKeys("c");
        assertThat(told.get(0).failures()).containsOnlyKeys("b");
        assertThat(told.get(0)).hasCauseInstanceOf(RecursiveLoadException.class);
    }

    private BulkLoadException failureOf(String... keys) {
        return catchThrowableOfType(BulkLoadException.class, () -> cache.getAll(List.of(keys), origin));
    }
}
