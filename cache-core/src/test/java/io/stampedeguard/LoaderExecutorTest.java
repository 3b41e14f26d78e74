package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadTimeoutException;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.ScriptedStore;
import io.stampedeguard.testkit.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Loaders on an executor: no caller, not even the leader, depends on the loader's cooperation. */
final class LoaderExecutorTest {
    @AutoClose
    private final Fleet fleet = new Fleet(0, CachePolicy.defaults());

    private final VirtualTime time = fleet.time();
    private final ScriptedStore store = fleet.store();
    private final RecordingListener listener = fleet.listener();
    private final Callers callers = fleet.callers();
    private final Origin origin = fleet.origin();

    @AutoClose("shutdownNow")
    private final ExecutorService threads = Executors.newFixedThreadPool(4, task -> new Thread(task, "loader-thread"));

    @Test
    void loaderRunsOnTheExecutor() {
        try (StampedeGuardedCache<String, String> cache = cacheOn(threads)) {
            assertThat(cache.get("k", key -> Thread.currentThread().getName())).isEqualTo("loader-thread");
            assertThat(cache.getAll(
                            List.of("a"),
                            keys -> Map.of("a", Thread.currentThread().getName())))
                    .containsEntry("a", "loader-thread");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"orders", "products"})
    void nestedLoadersThatFillTheExecutorDoNotDeadlock(String other) throws Exception {
        CountDownLatch allAreIn = new CountDownLatch(4);
        try (StampedeGuardedCache<String, String> orders = wideCacheOn(threads, "orders");
                StampedeGuardedCache<String, String> products = wideCacheOn(threads, "products")) {
            StampedeGuardedCache<String, String> inner = other.equals("orders") ? orders : products;
            List<Callers.Call<String>> calls = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                String product = "product" + i;
                calls.add(callers.call(() -> orders.get("order of " + product, key -> {
                    allAreIn.countDown();
                    allAreIn.await();
                    return inner.get(
                            product, k -> k + " on " + Thread.currentThread().getName());
                })));
            }

            for (int i = 0; i < 4; i++) {
                assertThat(calls.get(i).result()).isEqualTo("product" + i + " on loader-thread");
            }
        }
    }

    @Test
    void loaderKeepsItsThreadWhileAnotherExecutorLoadsForIt() throws Exception {
        ExecutorService one = Executors.newSingleThreadExecutor(task -> new Thread(task, "one"));
        ExecutorService other = Executors.newSingleThreadExecutor(task -> new Thread(task, "other"));
        try (StampedeGuardedCache<String, String> a = wideCacheOn(one, "a");
                StampedeGuardedCache<String, String> b = wideCacheOn(other, "b");
                StampedeGuardedCache<String, String> c = wideCacheOn(one, "c")) {
            Loader<String, String> ofC = key -> Thread.currentThread().getName();
            Loader<String, String> ofB = key -> c.get(key, ofC);

            assertThat(callers.call(() -> a.get("k", key -> b.get(key, ofB))).result())
                    .isEqualTo("other");
            assertThat(c.get("l", ofC)).as("not in a loader any more").isEqualTo("one");
        } finally {
            one.shutdownNow();
            other.shutdownNow();
        }
    }

    private StampedeGuardedCache<String, String> wideCacheOn(Executor executor, String name) {
        return fleet.builder(name)
                .policy(CachePolicy.builder().maxConcurrentLoads(4).build())
                .loaderExecutor(executor)
                .build();
    }

    @Test
    void leaderOfAnUninterruptibleLoaderFailsAtTheLoadTimeout() throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        AtomicInteger running = new AtomicInteger();
        try (StampedeGuardedCache<String, String> cache = cacheOn(threads)) {
            Callers.Call<String> leader = callers.call(() -> cache.get("k", key -> {
                running.incrementAndGet();
                while (hangs.getCount() > 0) {
                    Thread.onSpinWait();
                }
                return "late";
            }));
            until(() -> running.get() == 1);

            time.advance(ofSeconds(5));

            assertThat(leader.failure()).isInstanceOf(LoadTimeoutException.class);
            hangs.countDown();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"GET", "GET_ALL_OF_MANY"})
    void leaderThatIsInterruptedCancelsItsLoadAndLeavesNoLease(FormOfGet form) throws Exception {
        origin.close();
        try (StampedeGuardedCache<String, String> cache = cacheOn(threads)) {
            Callers.Call<String> leader = callers.call(() -> form.askChecked(cache, origin));
            until(() -> origin.running() == 1);
            leader.interrupt();

            assertThat(leader.failure()).isInstanceOf(WaitInterruptedException.class);
            until(() -> origin.running() == 0);
            until(() ->
                    on(store).lease("cache:k", LeaseToken.next(), null, ofSeconds(60)) instanceof LeaseAttempt.Granted);
            assertThat(listener.count(EventType.LOAD_FAILED))
                    .as("the origin was asked")
                    .isEqualTo(form.keys());
        }
    }

    @Test
    void reloadsThatTheExecutorRefusesAreDroppedAndRest() {
        AtomicBoolean full = new AtomicBoolean();
        Executor bounded = task -> {
            if (full.get()) {
                throw new RejectedExecutionException("full");
            }
            task.run();
        };
        try (StampedeGuardedCache<String, String> cache = cacheOn(bounded)) {
            cache.getAll(List.of("a", "b", "c"), LoaderExecutorTest::rows);
            time.advance(ofMinutes(5));
            full.set(true);
            LeaseToken elsewhere = LeaseToken.next();
            on(store).lease("cache:c", elsewhere, LeaseToken.startOf(on(store).read("cache:c")), ofSeconds(60));

            for (int i = 1; i <= 3; i++) {
                assertThat(cache.get("a", origin::read)).isEqualTo("row");
                until(() -> cache.reloading() == 0);
                assertThat(cache.getAll(List.of("b", "c"), LoaderExecutorTest::rows))
                        .hasSize(2);
                until(() -> cache.reloading() == 0);
                assertThat(listener.count(EventType.REFRESH_DROPPED)).isEqualTo(2);
                assertThat(listener.count(EventType.LEASE_HELD)).isEqualTo(1);
            }

            full.set(false);
            on(store).abandon("cache:c", elsewhere);
            time.advance(ofSeconds(2));
            cache.getAll(List.of("b", "c"), LoaderExecutorTest::rows);
            until(() -> listener.count(EventType.LOAD_STORED) == 5);
        }
        assertThat(listener.faults()).isEmpty();
    }

    private static Map<String, String> rows(Set<String> keys) {
        return keys.stream().collect(Collectors.toMap(key -> key, key -> "row"));
    }

    @Test
    void executorThrowingAnythingCostsNoPermitAndLeavesNoLease() {
        AtomicInteger calls = new AtomicInteger();
        Executor broken = task -> {
            if (calls.incrementAndGet() % 2 == 0) {
                throw new OutOfMemoryError("unable to create native thread, says the test");
            }
            throw new IllegalStateException("not started, says the test");
        };
        try (StampedeGuardedCache<String, String> cache = cacheOn(broken)) {
            for (int i = 0; i < 5; i++) {
                String key = "k" + i;
                assertThatThrownBy(() -> cache.get(key, origin::read))
                        .isInstanceOf(i % 2 == 0 ? OriginBusyException.class : OutOfMemoryError.class);
                until(() -> on(store).lease("cache:" + key, LeaseToken.next(), null, ofSeconds(60))
                        instanceof LeaseAttempt.Granted);
            }
        }
        assertThat(calls).as("with two permits").hasValue(5);
    }

    @Test
    void executorThatThrowsAfterTheLoadCostsNothing() {
        Executor loud = task -> {
            task.run();
            throw new IllegalStateException("says the test");
        };
        try (StampedeGuardedCache<String, String> cache = cacheOn(loud)) {
            assertThat(cache.get("k", origin::read)).isEqualTo("one");
        }
        assertThat(listener.count(EventType.LOAD_STORED)).isEqualTo(1);
    }

    @Test
    void interruptOfTheLoadersThreadIsNotItsCallers() {
        try (StampedeGuardedCache<String, String> cache = cacheOn(threads)) {
            assertThatThrownBy(() -> cache.get("k", key -> {
                        Thread.currentThread().interrupt();
                        throw new InterruptedException("says the test");
                    }))
                    .isInstanceOf(LoadException.class);

            assertThat(Thread.interrupted()).isFalse();
        }
    }

    @Test
    void loadNotBegunSoonRunsOnItsCallersThreadOnly() throws Exception {
        AtomicInteger loads = new AtomicInteger();
        BlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
        CountDownLatch gate = new CountDownLatch(1);
        try (StampedeGuardedCache<String, String> cache = cacheOn(queue::add)) {
            Callers.Call<Boolean> leader = callers.call(() -> {
                Thread caller = Thread.currentThread();
                return cache.get("k", key -> {
                            loads.incrementAndGet();
                            gate.await();
                            return Thread.currentThread() == caller ? "its own" : "another";
                        })
                        .equals("its own");
            });
            Runnable task = queue.take();
            time.awaitWaiting(1);
            time.advance(ofMillis(49));
            time.awaitWaiting(1);
            assertThat(loads).as("the executor may be about to begin it").hasValue(0);

            time.advance(ofMillis(1));
            until(() -> loads.get() == 1);
            task.run();
            assertThat(fleet.gauges(0).loadsRunning())
                    .as("it still has its permit")
                    .isOne();
            gate.countDown();

            assertThat(leader.result()).isTrue();
            assertThat(loads).hasValue(1);
            assertThat(fleet.gauges(0).loadsRunning()).isZero();
        }
        assertThat(listener.count(EventType.LOAD_STORED)).isOne();
    }

    @Test
    void loadTimeoutCutsOffALoaderOnItsCallersThread() throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        try (StampedeGuardedCache<String, String> cache = cacheOn(task -> {})) {
            CountDownLatch inLoader = new CountDownLatch(1);
            Callers.Call<String> leader = callers.call(() -> cache.get("k", key -> {
                inLoader.countDown();
                hangs.await();
                return "late";
            }));
            time.awaitWaiting(1);
            time.advance(ofMillis(50));
            inLoader.await();

            time.advance(ofMillis(4_950));

            assertThat(leader.failure()).isInstanceOf(LoadTimeoutException.class);
        }
        until(() -> listener.count(EventType.LOAD_TIMED_OUT) == 1);
    }

    @Test
    void reloadNotBegunSoonRunsOnItsOwnThread() {
        BlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
        try (StampedeGuardedCache<String, String> cache = cacheOn(queue::add)) {
            cache.put("k", "put");
            time.advance(ofMinutes(5));
            assertThat(cache.get(
                            "k", key -> "reloaded by " + Thread.currentThread().getName()))
                    .isEqualTo("put");
            until(() -> queue.size() == 1 && time.waiting() == 1);

            time.advance(ofMillis(50));

            until(() -> cache.reloading() == 0);
            assertThat(cache.get("k", key -> "not called")).contains("-refresh-");
        }
    }

    /** The clock jumps: neither a thread of the executor nor the caller has begun the load within its loadTimeout. */
    @Test
    void loadNotBegunInTimeNeverRunsAndIsNoFailure() throws Exception {
        AtomicInteger loads = new AtomicInteger();
        BlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
        CachePolicy coolDown = CachePolicy.builder()
                .loadTimeout(ofSeconds(5))
                .failureCoolDown(ofMinutes(1))
                .build();
        try (StampedeGuardedCache<String, String> cache = cacheOn(queue::add, coolDown);
                StampedeGuardedCache<String, String> there = cacheOn(Runnable::run, coolDown)) {
            Callers.Call<String> leader = callers.call(() -> cache.get("k", key -> "" + loads.incrementAndGet()));
            Runnable task = queue.take();
            Callers.Call<String> follower = callers.call(() -> cache.get("k", key -> "not called"));
            time.awaitWaiting(2);
            time.advance(ofSeconds(5));

            assertThat(leader.failure()).isInstanceOf(OriginBusyException.class).hasMessageContaining("'cache:k'");
            assertThat(follower.failure()).isInstanceOf(OriginBusyException.class);
            task.run();
            assertThat(loads).hasValue(0);
            until(() -> listener.count(EventType.LOAD_NOT_BEGUN) == 1);
            assertThat(there.get("k", key -> "the row")).as("no cool-down").isEqualTo("the row");
        }
        assertThat(listener.count(EventType.LOAD_STORED)).isOne();
        assertThat(listener.count(EventType.LOAD_TIMED_OUT)).isZero();
        assertThat(listener.count(EventType.LOAD_FAILED)).isZero();
    }

    @Test
    void loadsThatNeverBeganTellNothingOfTheLoader() throws Exception {
        Executor backedUp = task -> {};
        try (StampedeGuardedCache<String, String> cache = cacheOn(backedUp)) {
            for (int i = 0; i < 110; i++) {
                String key = "k" + i;
                Callers.Call<String> leader = callers.call(() -> cache.get(key, origin::read));
                time.awaitWaiting(1);
                time.advance(ofSeconds(5));
                assertThat(leader.failure()).isInstanceOf(OriginBusyException.class);
            }
            until(() -> listener.count(EventType.LOAD_NOT_BEGUN) == 110);
        }
        assertThat(listener.amounts(EventType.LOAD_NOT_BEGUN)).containsOnly(0L);
    }

    private StampedeGuardedCache<String, String> cacheOn(Executor executor) {
        return cacheOn(
                executor,
                CachePolicy.builder()
                        .loadTimeout(ofSeconds(5))
                        .failureCoolDown(ofMillis(1))
                        .maxConcurrentLoads(2)
                        .build());
    }

    private StampedeGuardedCache<String, String> cacheOn(Executor executor, CachePolicy policy) {
        return fleet.builder("cache").policy(policy).loaderExecutor(executor).build();
    }
}
