package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.Operation;
import io.stampedeguard.event.OperationScope;
import io.stampedeguard.internal.storage.ObservedStore;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import io.stampedeguard.testkit.SetFilter;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an operator can see of a cache: its gauges, its operations, and how old, late, or large things are. */
final class WatchedCacheTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(ofSeconds(10))
            .hardTtl(ofSeconds(100))
            .leaseTtl(ofSeconds(5))
            .waitTimeout(ofSeconds(60))
            .loadTimeout(ofSeconds(200))
            .maxConcurrentLoads(3)
            .jitter(0)
            .earlyRefresh(0)
            .build();

    private final Tape tape = new Tape();
    private @Nullable Fleet fleet;

    /** Records its notifications, as text. */
    private static class Tape implements CacheListener {
        final List<String> said = new CopyOnWriteArrayList<>();
        final AtomicReference<CacheGauges> gauges = new AtomicReference<>();

        @Override
        public void onOpen(String cache, CacheGauges shown) {
            gauges.set(shown);
            said.add("open");
        }

        @Override
        public void onClose(String cache, CacheGauges last) {
            said.add("close");
        }

        @Override
        public void onEvent(String cache, CacheEvent event) {
            if (event == EventType.NEAR_GAP || event == EventType.ABSENT || event == EventType.LEASE_TAKEN_OVER) {
                said.add(words(event));
            } else if (event instanceof CacheEvent.Measured measured) {
                boolean isLoad = words(event).startsWith("load");
                boolean isSize = measured.type() == EventType.STORED;
                long figure = isSize ? measured.amount() : measured.amount() / 1_000_000;
                said.add(words(event) + (isLoad ? "" : " " + figure));
            }
        }

        private static String words(CacheEvent event) {
            return event.type().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /** Records operations as well. */
    private static final class StepTape extends Tape {
        @Override
        public OperationScope onOperation(String cache, Operation step) {
            said.add("<" + step);
            return failure -> said.add(step + (failure == null ? ">" : "!>"));
        }
    }

    private Fleet fleet(int processes) {
        return fleet(processes, tape);
    }

    private Fleet fleet(int processes, CacheListener listener) {
        fleet = Fleet.polling(processes, POLICY, cache -> cache.listener(listener));
        return fleet;
    }

    private CacheGauges gauges() {
        return tape.gauges.get();
    }

    @AfterEach
    void close() {
        if (fleet != null) {
            fleet.close();
        }
    }

    @Test
    void cacheReportsItsOpeningFirstAndItsClosingOnce() {
        StampedeGuardedCache<String, String> cache = fleet(1).cache(0);
        cache.put("k", "four");
        cache.close();
        cache.close();

        assertThat(tape.said).containsExactly("open", "stored 4", "close");
    }

    @Test
    void loadsThatRunAndCallersThatWaitAreCounted() throws Exception {
        Fleet all = fleet(1);
        assertThat(gauges().loadPermits()).isEqualTo(3);
        assertThat(gauges().loadsRunning()).isZero();
        all.origin().close();

        List<Callers.Call<String>> calls = List.of(all.get(0, "k"), all.get(0, "k"), all.get(0, "k"), all.get(0, "l"));

        until(() -> gauges().loadsRunning() == 2 && gauges().waiting() == 2);
        all.origin().open();
        assertThat(Callers.results(calls)).containsOnly("one");
        until(() -> gauges().loadsRunning() == 0);
        assertThat(gauges().waiting()).isZero();
        assertThat(tape.said).contains("woken 0");
    }

    @Test
    void callersThatWaitForAPermitOrWithoutAThreadAreCounted() throws Exception {
        Fleet all = fleet(1);
        all.origin().close();
        for (String key : List.of("a", "b", "c")) {
            all.get(0, key);
        }
        until(() -> gauges().loadsRunning() == 3);

        all.get(0, "d");
        all.cache(0).getAsync("a", key -> {
            throw new AssertionError("not called");
        });

        until(() -> gauges().waiting() == 2);
        all.origin().open();
        until(() -> gauges().waiting() == 0 && gauges().loadsRunning() == 0);
    }

    @Test
    void interruptedAndAbandonedWaitsAreNotCountedForEver() throws Exception {
        Fleet all = fleet(1);
        Callers.Call<String> leader = all.loading(0, "k");
        Callers.Call<String> follower = all.get(0, "k");
        var future = all.cache(0).getAsync("k", key -> {
            throw new AssertionError("not called");
        });
        until(() -> gauges().waiting() == 2);

        future.cancel(true);
        assertThat(gauges().waiting()).as("as soon as it is cancelled").isEqualTo(1);
        follower.interrupt();
        assertThat(follower.failure()).isInstanceOf(WaitInterruptedException.class);
        until(() -> gauges().waiting() == 0);
        assertThat(all.cache(0).explain("k").waiters()).isZero();

        assertThat(leader.isOver()).isFalse();
        all.origin().open();
        assertThat(leader.result()).isEqualTo("one");
        assertThat(gauges().waiting()).isZero();
    }

    @Test
    void theNearCacheAndTheFilterAreShown() {
        SetFilter<String> filter = new SetFilter<>(Set.of("a", "b", "c"));
        fleet = new Fleet(
                1,
                POLICY,
                cache -> cache.listener(tape)
                        .nearCache(NearCacheOptions.builder().maximumSize(2).build())
                        .keyFilter(filter));

        for (int round = 0; round < 3; round++) {
            for (String key : List.of("a", "b", "c")) {
                fleet.cache(0).get(key, fleet.origin()::read);
            }
        }

        until(() -> gauges().nearEvictions() > 0);
        until(() -> gauges().nearSize() <= 2);
        assertThat(gauges().filterFill()).isEqualTo(filter.state().fill());
        assertThat(gauges().filterRate()).isEqualTo(filter.state().estimatedRate());
    }

    @Test
    void withoutNearCacheAndFilterThereIsNothingToShow() {
        fleet(1);

        assertThat(gauges().nearSize()).isZero();
        assertThat(gauges().nearEvictions()).isZero();
        assertThat(gauges().filterFill()).isZero();
        assertThat(gauges().filterRate()).isEqualTo(1);
    }

    @Test
    void theAgeOfStaleAnswersIsTold() {
        StampedeGuardedCache<String, String> cache = fleet(1).cache(0);
        cache.get("k", fleet.origin()::read);
        fleet.advance(ofSeconds(9));
        cache.get("k", fleet.origin()::read);
        assertThat(tape.said).noneMatch(event -> event.startsWith("stale"));
        fleet.advance(ofMillis(3_500));

        cache.get("k", fleet.origin()::read);

        assertThat(tape.said).contains("stale 12500");
    }

    @ParameterizedTest
    @ValueSource(ints = {6, 20})
    void copyThatStandsInReportsItsAgeOnlyIfStale(int seconds) {
        withNearCache();
        fleet.cache(0).get("k");
        fleet.store().refuse(Call.values());
        fleet.origin().fail(new IllegalStateException("origin is down"));
        fleet.advance(ofSeconds(seconds));

        assertThat(fleet.cache(0).get("k")).isEqualTo("one");
        assertThat(tape.said)
                .filteredOn(event -> event.startsWith("stale"))
                .isEqualTo(seconds == 20 ? List.of("stale 20000") : List.of());
    }

    private void withNearCache() {
        fleet = new Fleet(
                1,
                POLICY,
                cache -> cache.listener(tape)
                        .nearCache(NearCacheOptions.builder().maximumSize(10).build()));
    }

    @Test
    void whoPollsIsToldHowLateItWas() throws Exception {
        Fleet all = fleet(2);
        Callers.Call<String> leader = all.loading(0, "k");
        Callers.Call<String> follower = all.get(1, "k");
        all.time().awaitWaiting(1);
        all.origin().open();
        assertThat(leader.result()).isEqualTo("one");

        all.advance(ofSeconds(2));

        assertThat(follower.result()).isEqualTo("one");
        assertThat(tape.said).contains("woken 2000");
    }

    @Test
    void takeoverOfAnExpiredLeaseEndsTheWait() throws Exception {
        Fleet all = fleet(2);
        Callers.Call<String> leader = all.loading(0, "k");
        all.store().refuse(Call.RENEW);
        Callers.Call<String> follower = all.get(1, "k");
        all.time().awaitWaiting(1);
        assertThat(tape.said).doesNotContain("lease taken over");

        all.advanceUntil(() -> all.origin().running() == 2, ofSeconds(1));
        List<String> waits = waits();
        all.advance(ofSeconds(20));
        all.origin().open();

        assertThat(follower.result()).isEqualTo("one");
        assertThat(leader.result()).isEqualTo("one");
        assertThat(tape.said).containsOnlyOnce("lease taken over").contains("load fenced");
        assertThat(waits).singleElement().satisfies(wait -> assertThat(wait).startsWith("wait retry "));
        assertThat(waits()).as("the load of the follower is no wait").isEqualTo(waits);
    }

    private List<String> waits() {
        return tape.said.stream().filter(event -> event.startsWith("wait ")).toList();
    }

    @Test
    void batchThatFindsACompletedFlightReportsNoLateWakeup() throws Exception {
        Fleet all = fleet(1);
        all.bulkOrigin().close();
        Callers.Call<Map<String, String>> first = all.getAll(0, "b");
        until(() -> gauges().loadsRunning() == 1);
        CountDownLatch own = new CountDownLatch(1);
        Callers.Call<Map<String, String>> batch = all.callers()
                .call(() -> all.cache(0).getAll(List.of("a", "b"), keys -> {
                    own.await();
                    return Map.of("a", "a's");
                }));
        until(() -> gauges().loadsRunning() == 2);
        all.bulkOrigin().open();
        assertThat(first.result()).containsKey("b");
        all.advance(ofSeconds(2));
        own.countDown();

        assertThat(batch.result()).containsKeys("a", "b");
        assertThat(tape.said).contains("woken 0").doesNotContain("woken 2000");
    }

    @Test
    void storedResultsReportTheirSizeAndFailuresTheirCoolDown() {
        StampedeGuardedCache<String, String> cache = fleet(1).cache(0);
        cache.get("k", key -> "12345");
        cache.get("none", key -> null);
        cache.getAll(List.of("a", "b"), keys -> keys.stream().collect(Collectors.toMap(key -> key, key -> "123")));
        assertThatThrownBy(() -> cache.get("bad", key -> {
                    throw new IllegalStateException("origin is down");
                }))
                .isInstanceOf(LoadException.class);

        assertThat(tape.said)
                .contains("stored 5", "stored 0")
                .filteredOn("stored 3"::equals)
                .hasSize(2);
        assertThat(tape.said)
                .filteredOn(event -> event.startsWith("cool down "))
                .singleElement()
                .satisfies(event -> assertThat(Long.parseLong(event.substring("cool down ".length())))
                        .isPositive());
    }

    @Test
    void loadsThatFoundNothingAreToldWhateverBecomesOfThem() {
        StampedeGuardedCache<String, String> cache = fleet(1).cache(0);
        cache.get("there", key -> "");
        assertThat(tape.said).doesNotContain("absent");

        assertThat(cache.get("nonexistent", key -> null)).isNull();
        cache.get(
                "not kept",
                Loader.adaptive((key, previous) -> LoadedValue.<String>absent().doNotCache()));
        cache.getAll(List.of("a", "b", "c"), keys -> Map.of("b", "b's"));
        fleet.store().refuse(Call.values());
        cache.get("without Redis", key -> null);

        assertThat(tape.said).filteredOn("absent"::equals).hasSize(5);
        assertThat(tape.said).filteredOn(event -> event.startsWith("load ")).hasSize(7); // "there" and "b" had a value
    }

    @Test
    void valueThatIsNotModifiedIsNotToldAsAbsent() {
        StampedeGuardedCache<String, String> cache = fleet(1).cache(0);
        cache.get("k", key -> "one");
        fleet.advance(ofSeconds(11));
        cache.get("k", Loader.adaptive((key, previous) -> LoadedValue.notModified()));
        until(() -> tape.said.stream().filter("load stored"::equals).count() == 2);

        assertThat(tape.said).doesNotContain("absent");
    }

    @Test
    void gapsOfTheNearCacheAreTold() {
        withNearCache();
        assertThat(tape.said).doesNotContain("near gap");

        fleet.store().cutChanges();
        fleet.store().mendChanges();

        assertThat(tape.said).containsOnlyOnce("near gap");
    }

    @Test
    void theStepsOfALoadAreToldInTheirOrder() {
        StepTape steps = new StepTape();
        StampedeGuardedCache<String, String> cache = fleet(1, steps).cache(0);

        cache.get("k", key -> "v");

        assertThat(steps.said)
                .containsExactly(
                        "open",
                        "<READ",
                        "READ>",
                        "<LEASE",
                        "LEASE>",
                        "<LOAD",
                        "LOAD>",
                        "<PUBLISH",
                        "PUBLISH>",
                        "stored 1",
                        "load stored");
    }

    @Test
    void stepsThatFailAreToldSo() {
        StepTape steps = new StepTape();
        StampedeGuardedCache<String, String> cache = fleet(1, steps).cache(0);
        fleet.store().refuse(Call.READ);

        assertThatThrownBy(() -> cache.get("k", key -> {
                    throw new IllegalStateException("origin is down");
                }))
                .isInstanceOf(LoadException.class);

        assertThat(steps.said).contains("<READ", "READ!>", "<LOAD", "LOAD!>");
    }

    @Test
    void batchThatIsAnsweredInPartHasFailed() {
        StepTape steps = new StepTape();
        StampedeGuardedCache<String, String> cache = fleet(1, steps).cache(0);
        fleet.store().leaveUnanswered("fleet:b");

        cache.getAll(List.of("a", "b"), fleet.bulkOrigin());

        assertThat(steps.said).contains("<READ_ALL", "READ_ALL!>");
    }

    /** A method that is not delegated would fall back to a default, or not be reported to the listener. */
    @Test
    void everyCallOfTheStoreIsHandedOn() {
        Set<String> told = Arrays.stream(ObservedStore.class.getDeclaredMethods())
                .map(WatchedCacheTest::signature)
                .collect(Collectors.toSet());

        assertThat(Arrays.stream(SharedStore.class.getMethods())
                        .map(WatchedCacheTest::signature)
                        .filter(each -> !each.equals("shared[]")))
                .isSubsetOf(told);
    }

    private static String signature(Method method) {
        return method.getName() + Arrays.toString(method.getParameterTypes());
    }
}
