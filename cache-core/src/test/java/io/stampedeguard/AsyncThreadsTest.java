package io.stampedeguard;

import static io.stampedeguard.testkit.Callers.failure;
import static io.stampedeguard.testkit.Callers.result;
import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.thread.AsyncThreads;
import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadTimeoutException;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testkit.AsyncOrigin;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ForwardingTime;
import io.stampedeguard.testkit.KeyCalls;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.ScriptedStore;
import io.stampedeguard.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which threads asynchronous callers use, and that they never wait for each other unnecessarily. */
final class AsyncThreadsTest {
    private enum Threads {
        DEFAULT,
        PLATFORM,
        TWO_GIVEN
    }

    private static final AtomicInteger CACHES = new AtomicInteger();

    /** Unique per test: threads have it in their names, and those of other tests may still be running. */
    private final String name = "threads" + CACHES.incrementAndGet();

    private final Fleet fleet = new Fleet(0, CachePolicy.defaults());
    private final VirtualTime time = fleet.time();
    private final ScriptedStore store = fleet.store();
    private final RecordingListener listener = fleet.listener();
    private final Callers callers = fleet.callers();
    private final Origin origin = fleet.origin();

    @AutoClose
    private final AsyncOrigin asyncOrigin = new AsyncOrigin(origin);

    private final Set<Thread> ofTwo = ConcurrentHashMap.newKeySet();
    private final ThreadPoolExecutor two = (ThreadPoolExecutor) Executors.newFixedThreadPool(2, task -> {
        Thread thread = new Thread(task);
        ofTwo.add(thread);
        return thread;
    });
    private final List<StampedeGuardedCache<String, String>> caches = new ArrayList<>();
    private final AtomicReference<StampedeGuardedCache<String, String>> endsHere = new AtomicReference<>();

    @AfterEach
    void close() {
        origin.open();
        caches.forEach(Fleet::closeAtOnce);
        fleet.close();
        two.shutdownNow();
    }

    @Test
    void twoThreadsServeAThousandFollowers() throws Exception {
        StampedeGuardedCache<String, String> cache = on(two, 32);
        origin.close();
        Callers.Call<String> leader = callers.call(() -> cache.get("k", origin::read));
        until(() -> origin.running() == 1);

        List<CompletableFuture<String>> futures = getAsync(cache, 1_000);

        until(() -> two.getCompletedTaskCount() == 1_000 && two.getActiveCount() == 0); // no thread waits
        assertThat(futures).noneMatch(CompletableFuture::isDone);
        origin.open();
        assertThat(Callers.values(futures)).containsOnly("one");
        assertThat(leader.result()).isEqualTo("one");
        assertThat(origin.reads()).isEqualTo(1);
        assertThat(listener.count(EventType.WAIT_ANSWERED)).isEqualTo(1_000);
        assertThat(two.getCompletedTaskCount()).as("tasks to tell them").isLessThan(1_000 + 20);
    }

    @Test
    void stampedeOfTenThousandCostsFewThreads() throws Exception {
        StampedeGuardedCache<String, String> cache = on(Threads.PLATFORM, 8);
        origin.close();

        List<CompletableFuture<String>> futures = getAsync(cache, 10_000);
        until(() -> origin.running() == 1);
        assertThat(asyncThreads()).hasSizeLessThanOrEqualTo(AsyncThreads.READS_AT_ONCE + 2 * 8);
        origin.open();

        assertThat(Callers.values(futures)).containsOnly("one");
        assertThat(origin.reads()).isEqualTo(1);
        assertThat(asyncThreads()).hasSizeLessThanOrEqualTo(AsyncThreads.READS_AT_ONCE + 2 * 8);
    }

    @ParameterizedTest
    @EnumSource(names = {"DEFAULT", "PLATFORM"})
    void manyKeysAreLoadedNoMoreAtOnceThanMayBe(Threads threads) throws Exception {
        StampedeGuardedCache<String, String> cache = on(threads, 8);

        List<CompletableFuture<String>> futures = IntStream.range(0, 1_000)
                .mapToObj(i -> cache.getAsync("k" + i, asyncOrigin::read))
                .toList();

        assertThat(Callers.values(futures)).containsOnly("one");
        assertThat(origin.reads()).isEqualTo(1_000);
        assertThat(origin.mostAtOnce()).isLessThanOrEqualTo(8);
    }

    @ForEach
    void hitsDoNotWaitBehindLoads(boolean many) throws Exception {
        StampedeGuardedCache<String, String> cache = on(Threads.PLATFORM, 1);
        cache.put("there", "value");
        origin.close();
        List<CompletableFuture<String>> slow = IntStream.range(0, 100)
                .mapToObj(i -> cache.getAsync("slow" + i, asyncOrigin::read))
                .toList();
        until(() -> origin.running() == 1);

        CompletableFuture<?> hit = many
                ? cache.getAllAsync(List.of("there"), keys -> Map.of()).thenApply(all -> all.get("there"))
                : cache.getAsync("there", asyncOrigin::read);

        assertThat(result(hit)).isEqualTo("value");
        assertThat(slow).noneMatch(CompletableFuture::isDone);
    }

    @Test
    void loadThatQueuesForAThreadHoldsUpNobodyWhoHasOne() throws Exception {
        StampedeGuardedCache<String, String> cache = on(Threads.PLATFORM, 1);
        LeaseToken elsewhere = LeaseToken.next();
        for (String key : List.of("a", "b")) { // both leader threads wait for another process
            KeyCalls.on(store).lease(name + ":" + key, elsewhere, null, ofSeconds(60));
            cache.getAsync(key, asyncOrigin::read);
        }
        time.awaitWaiting(2);
        CompletableFuture<String> queued = cache.getAsync("k", asyncOrigin::read);
        until(() -> listener.count(EventType.STORE_ABSENT) == 3); // it has read the store and is about to lead

        assertThat(callers.call(() -> cache.get("k", origin::read)).result()).isEqualTo("one");
        KeyCalls.on(store).abandon(name + ":a", elsewhere);
        assertThat(result(queued)).isEqualTo("one");
    }

    @ParameterizedTest
    @EnumSource(names = {"DEFAULT", "PLATFORM"})
    void loadersMayAskForOtherKeysAsLongAsThereArePermits(Threads threads) throws Exception {
        StampedeGuardedCache<String, String> cache = on(threads, 8);

        assertThat(result(nested(cache, 7))).as("deep").isEqualTo("one".repeat(8));
        List<CompletableFuture<String>> wide = IntStream.range(0, 7)
                .mapToObj(i -> cache.getAsync("outer" + i, key -> cache.getAsync("inner" + i, asyncOrigin::read)))
                .toList();
        assertThat(Callers.values(wide)).as("wide").containsOnly("one");
    }

    @ParameterizedTest
    @EnumSource(names = {"DEFAULT", "PLATFORM"})
    void nestedLoadersWithoutPermitsAreEndedByTheWaitTimeout(Threads threads) throws Exception {
        StampedeGuardedCache<String, String> cache = on(threads, 2);
        CountDownLatch bothLoad = new CountDownLatch(2);
        List<CompletableFuture<String>> outer = IntStream.range(0, 2)
                .mapToObj(i -> cache.getAsync("outer" + i, key -> {
                    bothLoad.countDown();
                    bothLoad.await();
                    return cache.getAsync("inner" + i, asyncOrigin::read);
                }))
                .toList();
        bothLoad.await();
        time.awaitWaiting(4);

        time.advance(ofSeconds(10));

        // The first to fail releases its permit, and the inner load of the other may get it just in time.
        List<Throwable> failures = new ArrayList<>();
        for (CompletableFuture<String> future : outer) {
            failures.add(result(future.handle((value, failure) -> failure)));
        }
        assertThat(failures)
                .anySatisfy(failure -> assertThat(failure)
                        .isInstanceOf(LoadException.class)
                        .cause()
                        .isInstanceOf(OriginBusyException.class));
    }

    @Test
    void dependentsThatBlockHoldUpFew() throws Exception {
        StampedeGuardedCache<String, String> cache = on(Threads.PLATFORM, 8);
        origin.close();
        Callers.Call<String> leader = callers.call(() -> cache.get("k", origin::read));
        until(() -> origin.running() == 1);
        CountDownLatch blocks = new CountDownLatch(1);
        CompletableFuture<Void> blocked =
                cache.getAsync("k", asyncOrigin::read).thenAccept(value -> Fleet.await(blocks));
        List<CompletableFuture<String>> others = getAsync(cache, 1_000);
        origin.open();

        assertThat(leader.result()).isEqualTo("one");
        until(() -> others.stream().filter(CompletableFuture::isDone).count() >= 1_000 - 64);
        assertThat(blocked).isNotDone();
        blocks.countDown();
        assertThat(Callers.values(others)).containsOnly("one");
    }

    @Test
    void executorFullWhenTheFlightCompletesWithholdsNoAnswer() throws Exception {
        AtomicInteger room = new AtomicInteger(100);
        Executor fills = task -> {
            if (room.decrementAndGet() < 0) {
                throw new RejectedExecutionException("full, says the test");
            }
            two.execute(task);
        };
        StampedeGuardedCache<String, String> cache = on(fills, 32);
        origin.close();
        Callers.Call<String> leader = callers.call(() -> cache.get("k", origin::read));
        until(() -> origin.running() == 1);
        List<CompletableFuture<String>> futures = getAsync(cache, 100);
        until(() -> two.getCompletedTaskCount() == 100);
        origin.open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(Callers.values(futures)).containsOnly("one");
    }

    @ForEach
    void executorThatHasNoTimeIsEndedByTheWaitTimeout(boolean many) throws Exception {
        List<Runnable> queue = new ArrayList<>();
        StampedeGuardedCache<String, String> cache = on(queue::add, 32);
        List<CompletableFuture<?>> futures = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            futures.add(
                    many
                            ? cache.getAllAsync(List.of("k"), keys -> Map.of("k", origin.read("k")))
                            : cache.getAsync("k", asyncOrigin::read));
        }

        time.advance(ofSeconds(10));
        assertThat(futures).noneMatch(CompletableFuture::isDone);
        time.advance(ofMillis(50));

        for (CompletableFuture<?> future : futures) {
            assertThat(failure(future)).isInstanceOf(OriginBusyException.class);
        }
        queue.forEach(Runnable::run);
        assertThat(origin.reads()).as("nobody waits any more").isZero();
    }

    @ForEach
    void whatIsReadAfterTheWaitTimeoutIsNoAnswer(boolean many) throws Exception {
        StampedeGuardedCache<String, String> cache = on(two, 32);
        cache.put("k", "value");
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        store.before(many ? ScriptedStore.Call.READ_ALL : ScriptedStore.Call.READ, () -> {
            begun.countDown();
            Fleet.await(ends);
        });
        CompletableFuture<?> future = many
                ? cache.getAllAsync(List.of("k", "other"), keys -> Map.of())
                : cache.getAsync("k", asyncOrigin::read);
        begun.await();
        time.advance(ofSeconds(10));
        assertThat(failure(future)).isInstanceOf(many ? BulkLoadException.class : WaitTimeoutException.class);

        ends.countDown();
        until(() -> two.getCompletedTaskCount() == 2); // the read, and the end of the call

        assertThat(listener.count(AnswerSource.FAILED)).isEqualTo(many ? 2 : 1);
        assertThat(listener.count(AnswerSource.STORE)).isZero();
    }

    @Test
    void oldCopyAnswersCallersWithoutAThreadDuringAnOutage() throws Exception {
        StampedeGuardedCache<String, String> cache = built(builder(1)
                .onPlatformThreads()
                .nearCache(NearCacheOptions.builder().maximumSize(10).build()));
        assertThat(result(cache.getAsync("k", asyncOrigin::read))).isEqualTo("one");
        store.cutChanges();
        time.advance(ofSeconds(3)); // changes of it may have been missed
        store.mendChanges();
        origin.close();
        List<CompletableFuture<String>> busy = Stream.of("a", "b")
                .map(key -> cache.getAsync(key, asyncOrigin::read))
                .toList();
        until(() -> time.waiting() == 2); // both threads that may lead: one in the loader, one for a permit
        store.refuse(ScriptedStore.Call.READ);

        CompletableFuture<String> late = cache.getAsync("k", asyncOrigin::read);
        until(() -> listener.count(EventType.STORE_UNAVAILABLE) == 1);
        until(() -> asyncThreads().stream().allMatch(AsyncThreadsTest::waits)); // it has found no thread that may lead
        time.advance(ofSeconds(10));

        assertThat(result(late)).isEqualTo("one");
        assertThat(busy).as("that in the loader").anyMatch(future -> !future.isDone());
    }

    @Test
    void deadlineBetweenJoiningAndWaitingCausesAWaitTimeout() throws Exception {
        StampedeGuardedCache<String, String> cache =
                endingAt(asked -> asked.explain("k").waiters() == 1, () -> true);
        origin.close();
        Callers.Call<String> leader = callers.call(() -> cache.get("k", origin::read));
        until(() -> origin.running() == 1);
        endsHere.set(cache);

        assertThat(failure(cache.getAsync("k", asyncOrigin::read))).isInstanceOf(WaitTimeoutException.class);
        assertThat(endsHere).as("the time ended there").hasNullValue();
        origin.open();
        assertThat(leader.result()).isEqualTo("one");
    }

    @Test
    void deadlineBeforeTheNextAttemptCausesAWaitTimeout() throws Exception {
        StampedeGuardedCache<String, String> cache = endingAt(
                asked -> listener.count(EventType.WAIT_RETRY) == 1, () -> listener.count(AnswerSource.FAILED) == 1);
        origin.close();
        Callers.Call<String> leader = callers.call(() -> cache.get("k", origin::read));
        until(() -> origin.running() == 1);
        KeyCalls.on(store).invalidate(name + ":k"); // by another process: this one is not notified
        CompletableFuture<String> follower = cache.getAsync("k", asyncOrigin::read);
        until(() -> two.getCompletedTaskCount() == 1);
        endsHere.set(cache);
        origin.open();

        assertThat(failure(follower)).isInstanceOf(WaitTimeoutException.class);
        assertThat(endsHere).as("the time ended there").hasNullValue();
        assertThat(leader.result()).isEqualTo("one");
    }

    @Test
    void interruptFlagsAreLeftAlone() throws Exception {
        BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
        callers.call(
                () -> { // unlike a pool, it clears no flag between tasks
                    while (true) {
                        tasks.take().run();
                    }
                });
        StampedeGuardedCache<String, String> cache = on(tasks::add, 32);
        CompletableFuture<String> never = new CompletableFuture<>();
        CompletableFuture<String> cutOff = cache.getAsync("k", key -> never);
        time.awaitWaiting(1);
        time.advance(ofSeconds(30));
        assertThat(failure(cutOff)).isInstanceOf(LoadTimeoutException.class);
        assertThat(failure(cache.getAsync(
                        "f", key -> CompletableFuture.failedFuture(new InterruptedException("elsewhere")))))
                .isInstanceOf(LoadException.class);
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        tasks.add(() -> flag.complete(Thread.currentThread().isInterrupted()));
        assertThat(result(flag)).as("of the thread that led").isFalse();

        Thread.currentThread().interrupt();
        CompletableFuture<String> future = cache.getAsync("l", asyncOrigin::read);
        assertThat(Thread.interrupted()).as("of the caller").isTrue();
        assertThat(result(future)).isEqualTo("one");
    }

    @ParameterizedTest
    @EnumSource(names = {"DEFAULT", "PLATFORM"})
    void nothingOfTheCallerSticksToAThread(Threads threads) throws Exception {
        InheritableThreadLocal<String> context = new InheritableThreadLocal<>();
        StampedeGuardedCache<String, String> cache = on(threads, 8);
        ClassLoader mine = Thread.currentThread().getContextClassLoader();
        try {
            context.set("the caller's");
            Thread.currentThread().setContextClassLoader(new ClassLoader() {});
            AtomicReference<Thread> ledBy = new AtomicReference<>();
            CompletableFuture<String> seen = cache.getAsync("k", key -> {
                ledBy.set(Thread.currentThread());
                assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(mine);
                return CompletableFuture.completedFuture("" + context.get());
            });
            assertThat(result(seen)).isEqualTo("null");
            assertThat(ledBy.get().getName()).startsWith("stampede-" + name + "-async-");
            assertThat(ledBy.get().isDaemon()).isTrue();
        } finally {
            context.remove();
            Thread.currentThread().setContextClassLoader(mine);
        }
    }

    @ForEach
    void closeFailsWhatIsUnderWayAndEndsTheThreads(Threads threads) throws Exception {
        StampedeGuardedCache<String, String> cache = on(threads, 1);
        AtomicReference<Thread> leader = new AtomicReference<>();
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> leading = cache.getAsync("k", key -> {
            leader.set(Thread.currentThread());
            return stage;
        });
        time.awaitWaiting(1);
        CompletableFuture<String> following = cache.getAsync("k", asyncOrigin::read);
        List<CompletableFuture<String>> queued = IntStream.range(0, 50)
                .mapToObj(i -> cache.getAsync("queued" + i, asyncOrigin::read))
                .toList();

        Fleet.closeAtOnce(cache);

        for (CompletableFuture<String> future :
                Stream.concat(Stream.of(leading, following), queued.stream()).toList()) {
            assertThat(failure(future))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("cache '" + name + "' was closed");
        }
        until(stage::isCancelled);
        if (threads == Threads.TWO_GIVEN) {
            until(() -> two.getActiveCount() == 0);
        } else {
            until(() -> !leader.get().isAlive());
        }
        until(() -> asyncThreads().isEmpty());
    }

    private static CompletableFuture<String> nested(StampedeGuardedCache<String, String> cache, int depth) {
        return cache.getAsync(
                "nested" + depth,
                key -> depth == 0
                        ? CompletableFuture.completedFuture("one")
                        : nested(cache, depth - 1).thenApply(inner -> inner + "one"));
    }

    private StampedeGuardedCache<String, String> on(Threads threads, int maxConcurrentLoads) {
        return switch (threads) {
            case DEFAULT -> built(builder(maxConcurrentLoads));
            case PLATFORM -> built(builder(maxConcurrentLoads).onPlatformThreads());
            case TWO_GIVEN -> on(two, maxConcurrentLoads);
        };
    }

    private StampedeGuardedCache<String, String> on(Executor executor, int maxConcurrentLoads) {
        return built(builder(maxConcurrentLoads).asyncExecutor(executor));
    }

    /**
     * Creates a cache on two threads whose waiting callers' time ends where one of the two reads the clock and a condition holds:
     * the timer, and what it leaves to the other one, have run when the clock is read. Other threads, such as a leader's,
     * read the clock meanwhile; the time of a caller must not end there, while the caller itself goes on.
     */
    private StampedeGuardedCache<String, String> endingAt(
            Predicate<StampedeGuardedCache<String, String>> condition, BooleanSupplier isEnded) {
        return built(builder(32).asyncExecutor(two).timeSource(new ForwardingTime(time) {
            @Override
            public long monotonicNanos() {
                if (!ofTwo.contains(Thread.currentThread())) {
                    return super.monotonicNanos();
                }
                // taken out meanwhile: the condition reads the clock, too
                StampedeGuardedCache<String, String> cache = endsHere.getAndSet(null);
                if (cache != null && condition.test(cache)) {
                    time.advance(ofSeconds(10));
                    until(isEnded);
                } else if (cache != null) {
                    endsHere.set(cache);
                }
                return super.monotonicNanos();
            }
        }));
    }

    private StampedeGuardedCache<String, String> built(StampedeGuardedCacheBuilder<String, String> builder) {
        StampedeGuardedCache<String, String> cache = builder.build();
        caches.add(cache);
        return cache;
    }

    private StampedeGuardedCacheBuilder<String, String> builder(int maxConcurrentLoads) {
        return fleet.builder(name)
                .policy(CachePolicy.builder()
                        .maxConcurrentLoads(maxConcurrentLoads)
                        .failureCoolDown(Duration.ZERO)
                        .build());
    }

    private List<CompletableFuture<String>> getAsync(StampedeGuardedCache<String, String> cache, int callers) {
        return IntStream.range(0, callers)
                .mapToObj(i -> cache.getAsync("k", asyncOrigin::read))
                .toList();
    }

    /** Platform threads only: virtual ones are not listed. */
    private List<Thread> asyncThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("stampede-" + name + "-async-"))
                .toList();
    }

    private static boolean waits(Thread thread) {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }
}
