package io.stampedeguard.loader;

import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.testkit.BulkOrigin;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.ForwardingTime;
import io.stampedeguard.testkit.VirtualTime;
import io.stampedeguard.time.TimeSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Single keys that are loaded at the same time go to the origin together, and remain loads of their own. */
final class GatheringLoaderTest {
    private static final Duration WINDOW = ofMillis(2);

    private final VirtualTime time = new VirtualTime();
    private final BulkOrigin origin = new BulkOrigin();

    @AutoClose
    private final Callers callers = new Callers();

    private final GatheringLoader<String, String> loader = gathering(GatheringLoader.plain(origin), 10, time);

    private static <V> GatheringLoader<String, V> gathering(
            BulkLoader<String, LoadedValue<V>> bulkLoader, int maxKeys, TimeSource time) {
        return new GatheringLoader<>(bulkLoader, maxKeys, WINDOW, time);
    }

    private Callers.Call<@Nullable String> load(String key) {
        return callers.call(() -> loader.load(key));
    }

    /** Starts the load of a key that waits, for other keys or for the end of their call. */
    private Callers.Call<@Nullable String> waiting(String key) throws InterruptedException {
        int before = time.waiting();
        Callers.Call<@Nullable String> call = load(key);
        time.awaitWaiting(before + 1);
        return call;
    }

    /** Begins a call for one key, and holds it up. */
    private Callers.Call<@Nullable String> running(String key) {
        int before = origin.running();
        origin.close();
        Callers.Call<@Nullable String> call = load(key);
        until(() -> origin.running() == before + 1);
        return call;
    }

    private static void assertThatEachHasItsRow(List<Callers.Call<@Nullable String>> calls, String... keys)
            throws Exception {
        List<String> rows = Stream.of(keys).map(key -> key + "'s").toList();
        assertThat(Callers.results(calls)).isEqualTo(rows);
    }

    @Test
    void loneKeyWaitsForNothing() throws Exception {
        assertThat(loader.load("a")).isEqualTo("a's");
        assertThat(loader.load("b")).isEqualTo("b's");

        assertThat(origin.calls()).containsExactly(List.of("a"), List.of("b"));
        assertThat(loader.isIdle()).isTrue();
    }

    @Test
    void keysThatComeDuringACallGoTogetherWhenItEnds() throws Exception {
        var a = running("a");
        var b = waiting("b");
        var c = waiting("c");
        var d = waiting("d");
        origin.open();

        assertThatEachHasItsRow(List.of(a, b, c, d), "a", "b", "c", "d");
        assertThat(origin.calls()).containsExactly(List.of("a"), List.of("b", "c", "d"));
        assertThat(loader.isIdle()).isTrue();
    }

    @Test
    void keysGoBesideALongCallWhenTheirWindowIsOver() throws Exception {
        var a = running("a");
        var b = waiting("b");
        time.advance(WINDOW.minusNanos(1));
        var c = waiting("c");
        assertThat(origin.running()).isEqualTo(1);

        time.advance(Duration.ofNanos(1));
        until(() -> origin.running() == 2);
        var d = waiting("d");
        assertThat(origin.calls()).containsExactly(List.of("a"), List.of("b", "c"));

        origin.open();
        assertThatEachHasItsRow(List.of(a, b, c, d), "a", "b", "c", "d");
        assertThat(origin.calls()).hasSize(3).endsWith(List.of("d"));
        assertThat(loader.isIdle()).isTrue();
    }

    @Test
    void fullBatchGoesAtOnce() throws Exception {
        GatheringLoader<String, String> two = gathering(GatheringLoader.plain(origin), 2, time);
        origin.close();
        List<Callers.Call<@Nullable String>> calls = new ArrayList<>();
        calls.add(callers.call(() -> two.load("a")));
        until(() -> origin.running() == 1);
        calls.add(callers.call(() -> two.load("b")));
        time.awaitWaiting(1);
        calls.add(callers.call(() -> two.load("c")));
        until(() -> origin.running() == 2);
        calls.add(callers.call(() -> two.load("d")));
        time.awaitWaiting(2); // one of the second call, and this one
        assertThat(origin.calls()).containsExactly(List.of("a"), List.of("b", "c"));

        origin.open();
        assertThatEachHasItsRow(calls, "a", "b", "c", "d");
        assertThat(two.isIdle()).isTrue();
    }

    @Test
    void batchesOfOneKeyNeverWait() throws Exception {
        GatheringLoader<String, String> one = gathering(GatheringLoader.plain(origin), 1, time);
        origin.close();
        var a = callers.call(() -> one.load("a"));
        var b = callers.call(() -> one.load("b"));
        until(() -> origin.running() == 2);
        origin.open();

        assertThatEachHasItsRow(List.of(a, b), "a", "b");
    }

    @Test
    void equalKeysOfOneCallAreRequestedOnce() throws Exception {
        var a = running("a");
        var b = waiting("b");
        var again = waiting("b");
        origin.open();

        assertThatEachHasItsRow(List.of(a, b, again), "a", "b", "b");
        assertThat(origin.calls()).containsExactly(List.of("a"), List.of("b"));
    }

    @Test
    void keyThatIsMissingFromTheResultIsAbsent() throws Exception {
        origin.remove("b");
        var a = running("a");
        var b = waiting("b");
        var c = waiting("c");
        origin.open();

        assertThat(b.result()).isNull();
        assertThatEachHasItsRow(List.of(a, c), "a", "c");
    }

    static Stream<Throwable> failures() {
        return Stream.of(new SQLException("origin"), new IllegalStateException("origin"), new AssertionError("origin"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void failureAppliesToAllKeysOfItsCallOnly(Throwable failure) throws Exception {
        var a = running("a");
        var b = waiting("b");
        var c = waiting("c");
        origin.fail(failure);
        origin.open();

        assertThat(a.result()).isEqualTo("a's");
        assertThat(b.failure()).isSameAs(failure);
        assertThat(c.failure()).isSameAs(failure);
        origin.fail(null);
        assertThat(loader.load("b")).isEqualTo("b's");
        assertThat(loader.isIdle()).isTrue();
    }

    @Test
    void bulkLoaderThatReturnsNullHasFailed() {
        GatheringLoader<String, String> none = gathering(GatheringLoader.plain(keys -> null), 10, time);
        GatheringLoader<String, String> noneLoaded = gathering(keys -> null, 10, time);

        for (GatheringLoader<String, String> each : List.of(none, noneLoaded)) {
            assertThatThrownBy(() -> each.load("a"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("the bulk loader returned null");
        }
    }

    @Test
    void eachValueMayHaveItsOwnTtl() throws Exception {
        LoadedValue<String> brief = LoadedValue.of("a's").softTtl(ofSeconds(1));
        GatheringLoader<String, String> adaptive = gathering(keys -> Map.of("a", brief), 10, time);

        assertThat(adaptive.load("a", null)).isSameAs(brief);
        assertThat(adaptive.load("b", null).value()).isNull();
    }

    @Test
    void notModifiedIsAFailureBecauseNoPreviousValueWasSeen() {
        GatheringLoader<String, String> adaptive = gathering(keys -> Map.of("a", LoadedValue.notModified()), 10, time);

        assertThatThrownBy(() -> adaptive.load("a", null))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the bulk loader returned notModified, without a previous value");
    }

    @Test
    void interruptedFollowerLeavesAndItsKeyIsNotLoaded() throws Exception {
        var a = running("a");
        var b = waiting("b");
        var c = waiting("c");
        c.interrupt();
        assertThat(c.failure()).isInstanceOf(InterruptedException.class);

        origin.open();
        assertThatEachHasItsRow(List.of(a, b), "a", "b");
        assertThat(origin.calls()).containsExactly(List.of("a"), List.of("b"));
        assertThat(loader.isIdle()).isTrue();
    }

    @Test
    void followerThatIsInterruptedDuringItsCallLeavesTheOthersAlone() throws Exception {
        var a = running("a");
        var b = waiting("b");
        var c = waiting("c");
        var d = waiting("d");
        time.advance(WINDOW);
        until(() -> origin.running() == 2);
        c.interrupt();
        assertThat(c.failure()).isInstanceOf(InterruptedException.class);

        origin.open();
        assertThatEachHasItsRow(List.of(a, b, d), "a", "b", "d");
        assertThat(origin.calls()).containsExactly(List.of("a"), List.of("b", "c", "d"));
    }

    @Test
    void leaderThatIsInterruptedInItsWindowFailsNobodyElse() throws Exception {
        var a = running("a");
        var b = waiting("b");
        var c = waiting("c");
        var d = waiting("d");
        b.interrupt();
        assertThat(b.failure()).isInstanceOf(InterruptedException.class);

        time.awaitWaiting(2); // the others gather again
        origin.open();
        assertThatEachHasItsRow(List.of(a, c, d), "a", "c", "d");
        assertThat(origin.loads("b")).isZero();
        assertThat(loader.isIdle()).isTrue();
    }

    static Stream<Named<Function<InterruptedException, Exception>>> reports() {
        return Stream.of(
                Named.of("as it is", interrupt -> interrupt),
                Named.of("wrapped twice", interrupt -> new IllegalStateException(new SQLException(interrupt))),
                Named.of("by the flag alone", interrupt -> {
                    Thread.currentThread().interrupt();
                    return new SQLException("statement cancelled");
                }));
    }

    /** As at the time limit of its load. */
    @ParameterizedTest
    @MethodSource("reports")
    void leaderThatIsInterruptedInItsCallFailsNobodyElse(Function<InterruptedException, Exception> report)
            throws Exception {
        GatheringLoader<String, String> reporting = gathering(
                GatheringLoader.plain(keys -> {
                    try {
                        return origin.loadAll(keys);
                    } catch (InterruptedException e) {
                        throw report.apply(e);
                    }
                }),
                10,
                time);
        origin.close();
        var a = callers.call(() -> reporting.load("a"));
        until(() -> origin.running() == 1);
        var b = callers.call(() -> reporting.load("b"));
        time.awaitWaiting(1);
        var c = callers.call(() -> reporting.load("c"));
        time.awaitWaiting(2);
        time.advance(WINDOW);
        until(() -> origin.running() == 2);

        b.interrupt();
        assertThat(b.failure()).isInstanceOf(Exception.class);
        until(() -> origin.running() == 1 && time.waiting() == 1); // the other one gathers again
        origin.open();
        assertThatEachHasItsRow(List.of(a, c), "a", "c");
        assertThat(origin.calls()).containsExactly(List.of("a"), List.of("b", "c"), List.of("c"));
        assertThat(reporting.isIdle()).isTrue();
    }

    @Test
    void interruptOfAnotherThreadIsAFailureOfTheOrigin() throws Exception {
        ExecutionException elsewhere = new ExecutionException(new InterruptedException("elsewhere"));
        var a = running("a");
        var b = waiting("b");
        var c = waiting("c");
        origin.fail(elsewhere);
        origin.open();

        assertThat(a.result()).isEqualTo("a's");
        assertThat(b.failure()).isSameAs(elsewhere);
        assertThat(c.failure()).isSameAs(elsewhere);
    }

    /** A loader that ignores its interrupt has loaded the others nevertheless. */
    @Test
    void whatIsReturnedDespiteAnInterruptAnswersAll() throws Exception {
        CountDownLatch isCalled = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        GatheringLoader<String, String> stubborn = gathering(
                GatheringLoader.plain(keys -> {
                    if (keys.contains("b")) {
                        isCalled.countDown();
                        awaitInterrupt(never);
                        return Map.of("b", "b's", "c", "c's");
                    }
                    return origin.loadAll(keys);
                }),
                10,
                time);
        origin.close();
        var a = callers.call(() -> stubborn.load("a"));
        until(() -> origin.running() == 1);
        var b = callers.call(() -> stubborn.load("b"));
        time.awaitWaiting(1);
        var c = callers.call(() -> stubborn.load("c"));
        time.awaitWaiting(2);
        origin.open();
        isCalled.await();
        b.interrupt();

        assertThatEachHasItsRow(List.of(a, b, c), "a", "b", "c");
    }

    private static void awaitInterrupt(CountDownLatch never) {
        try {
            never.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** For instance without memory for a timer. */
    @Test
    void leaderThatCannotWaitFailsNobodyElse() throws Exception {
        IllegalStateException noTimer = new IllegalStateException("no timer");
        TimeSource failing = new ForwardingTime(time) {
            @Override
            public boolean await(CountDownLatch latch, long nanos) throws InterruptedException {
                boolean isOpen = super.await(latch, nanos);
                if (nanos == WINDOW.toNanos() && !isOpen) {
                    throw noTimer;
                }
                return isOpen;
            }
        };
        GatheringLoader<String, String> poor = gathering(GatheringLoader.plain(origin), 10, failing);
        origin.close();
        var a = callers.call(() -> poor.load("a"));
        until(() -> origin.running() == 1);
        var b = callers.call(() -> poor.load("b"));
        time.awaitWaiting(1);
        var c = callers.call(() -> poor.load("c"));
        time.awaitWaiting(2);
        time.advance(WINDOW);

        assertThat(b.failure()).isSameAs(noTimer);
        time.awaitWaiting(1);
        origin.open();
        assertThatEachHasItsRow(List.of(a, c), "a", "c");
        assertThat(poor.isIdle()).isTrue();
    }

    @Test
    void argumentsAreChecked() {
        BulkLoader<String, String> bulk = keys -> Map.of();
        assertThatThrownBy(() -> Loader.gathering(null, 10))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("loader");
        assertThatThrownBy(() -> AdaptiveLoader.gathering(null, 10, WINDOW))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("loader");
        assertThatThrownBy(() -> Loader.gathering(bulk, 10, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("maxDelay");
        assertThatThrownBy(() -> Loader.gathering(bulk, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxKeys 0 is less than 1");
        for (Duration wrong : List.of(Duration.ZERO, ofMillis(-1), ofMillis(1_001))) {
            assertThatThrownBy(() -> Loader.gathering(bulk, 10, wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("maxDelay " + wrong + " is not more than zero and at most PT1S");
        }
    }

    @Test
    void keysCannotBeModifiedByTheBulkLoader() {
        GatheringLoader<String, String> modifying = gathering(
                GatheringLoader.plain(keys -> {
                    keys.clear();
                    return Map.of();
                }),
                10,
                time);

        assertThatThrownBy(() -> modifying.load("a")).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void factoriesUseTheMachinesClock() throws Exception {
        Loader<String, String> usual = Loader.gathering(origin, 10);
        AdaptiveLoader<String, String> adaptive =
                AdaptiveLoader.gathering(GatheringLoader.plain(origin), 10, Duration.ofSeconds(1));

        assertThat(usual.load("a")).isEqualTo("a's");
        assertThat(adaptive.load("b")).isEqualTo("b's");
        assertThat(origin.calls()).isEqualTo(List.of(List.of("a"), List.of("b")));
    }

    @Test
    void manyCallersOfManyKeysGetTheirRows() throws Exception {
        Loader<String, String> real = Loader.gathering(GatheringLoaderTest::rows, 7, ofMillis(1));
        List<Callers.Call<Boolean>> calls = callers.call(16, () -> {
            for (int key = 0; key < 500; key++) {
                String name = Thread.currentThread().getName() + "-" + key;
                if (!(name + "'s").equals(real.load(name))) {
                    return false;
                }
            }
            return true;
        });

        assertThat(Callers.results(calls)).containsOnly(true);
        assertThat(((GatheringLoader<?, ?>) real).isIdle()).isTrue();
    }

    private static Map<String, String> rows(Set<String> keys) {
        Map<String, String> rows = new HashMap<>();
        keys.forEach(key -> rows.put(key, key + "'s"));
        return rows;
    }
}
