package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.LookupResult;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ForwardingTime;
import io.stampedeguard.testkit.KeyCalls;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.ScriptedStore;
import io.stampedeguard.testkit.VirtualTime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * However a call ends, its future completes in a task of the {@code asyncExecutor}. That one does nothing until the test lets it, so
 * dependent actions are there before anything can complete.
 */
final class CompletionThreadsTest {
    private static final String ON_EXECUTOR = "a task of the executor";

    private static final CachePolicy POLICY = CachePolicy.builder()
            .leaseTtl(ofSeconds(60))
            .waitTimeout(ofSeconds(8))
            .maxConcurrentLoads(2)
            .build();

    private final Fleet fleet = new Fleet(0, POLICY);
    private final VirtualTime time = fleet.time();
    private final ScriptedStore store = fleet.store();
    private final RecordingListener listener = fleet.listener();
    private final Callers callers = fleet.callers();
    private final Origin origin = fleet.origin();
    private final List<StampedeGuardedCache<String, String>> caches = new ArrayList<>();
    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final AtomicReference<@Nullable Runnable> onceLoading = new AtomicReference<>();
    private volatile boolean isFull;
    private volatile @Nullable Thread runsTask;

    @AfterEach
    void close() {
        origin.open();
        caches.forEach(Fleet::closeAtOnce);
        fleet.close();
    }

    private void execute(Runnable task) {
        if (isFull) {
            throw new RejectedExecutionException("full, says the test");
        }
        tasks.add(task);
    }

    /** Lets the executor work, on this thread, until a condition holds. */
    private void runUntil(BooleanSupplier condition) {
        until(() -> {
            if (condition.getAsBoolean()) {
                return true;
            }
            runOne();
            return false;
        });
    }

    private void runOne() {
        Runnable task = tasks.poll();
        if (task != null) {
            runsTask = Thread.currentThread();
            try {
                task.run();
            } finally {
                runsTask = null;
            }
        }
    }

    private StampedeGuardedCache<String, String> cache(
            UnaryOperator<StampedeGuardedCacheBuilder<String, String>> with) {
        StampedeGuardedCacheBuilder<String, String> builder =
                fleet.builder("completion").loader(this::load).asyncExecutor(this::execute);
        StampedeGuardedCache<String, String> cache = with.apply(builder).build();
        caches.add(cache);
        return cache;
    }

    private @Nullable String load(String key) throws Exception {
        Runnable once = onceLoading.getAndSet(null);
        if (once != null) {
            once.run();
        }
        return origin.read(key);
    }

    private enum Form {
        ONE,
        ONE_BY_ONE,
        TOGETHER
    }

    /** A call, and where its future has completed. */
    private final class Ending {
        private final CompletableFuture<?> future;
        private final AtomicReference<@Nullable String> where = new AtomicReference<>();

        private Ending(CompletableFuture<?> future) {
            this.future = future.whenComplete((value, failure) -> where.set(
                    Thread.currentThread() == runsTask
                            ? ON_EXECUTOR
                            : Thread.currentThread().getName()));
            assertThat(future).isNotDone();
        }

        /** Lets the executor work until the future completes; returns the value, or the failure. */
        private @Nullable Object end() {
            runUntil(future::isDone);
            assertThat(where.get()).isEqualTo(ON_EXECUTOR);
            return future.handle((value, failure) -> failure == null ? value : failure.getCause())
                    .join();
        }
    }

    private Ending begin(Form form, StampedeGuardedCache<String, String> cache) {
        return new Ending(
                switch (form) {
                    case ONE -> cache.getAsync("k");
                    case ONE_BY_ONE -> cache.getAllAsync(List.of("k")).thenApply(all -> all.get("k"));
                    case TOGETHER ->
                        cache.getAllAsync(List.of("k"), keys -> {
                                    try {
                                        return Map.of("k", String.valueOf(load("k")));
                                    } catch (Exception e) {
                                        throw new IllegalStateException(e);
                                    }
                                })
                                .thenApply(all -> all.get("k"));
                });
    }

    private StampedeGuardedCache<String, String> cache() {
        return cache(builder -> builder);
    }

    private Callers.Call<String> loadHere(StampedeGuardedCache<String, String> cache) {
        origin.close();
        Callers.Call<String> leader = callers.call(() -> cache.get("k"));
        until(() -> origin.running() == 1);
        return leader;
    }

    private void holdElsewhere(String key) {
        KeyCalls.on(store).lease("completion:" + key, LeaseToken.next(), null, ofSeconds(60));
    }

    private void assertEndsWith(String message, Ending ending) {
        assertThat(ending.end())
                .asInstanceOf(InstanceOfAssertFactories.THROWABLE)
                .hasMessageContaining(message);
    }

    @ForEach
    void whatIsInTheStore(Form form) throws Exception {
        StampedeGuardedCache<String, String> cache = cache();
        cache.put("k", "put");
        assertThat(begin(form, cache).end()).isEqualTo("put");

        cache.expire("k");
        assertThat(begin(form, cache).end()).as("stale").isEqualTo("put");
    }

    @Test
    void nearHitReturnsCompletedWithoutATaskOrTimer() {
        StampedeGuardedCache<String, String> cache = cache(builder ->
                builder.nearCache(NearCacheOptions.builder().maximumSize(10).build()));
        assertThat(cache.get("k")).isEqualTo("one");
        int timers = time.timers();

        assertThat(cache.getAsync("k")).isCompletedWithValue("one");
        assertThat(cache.getAllAsync(List.of("k"))).isCompletedWithValue(Map.of("k", "one"));

        assertThat(tasks).isEmpty();
        assertThat(time.timers()).isEqualTo(timers);
        assertThat(listener.count(AnswerSource.NEAR)).isEqualTo(2);
    }

    @ForEach
    void whatThisCallLoads(Form form) throws Exception {
        assertThat(begin(form, cache()).end()).isEqualTo("one");
    }

    @ForEach
    void whatThisCallLoadsWhileTheStoreIsDown(Form form) throws Exception {
        store.breaking().kill();
        assertThat(begin(form, cache()).end()).isEqualTo("one");
    }

    @ForEach
    void whatThisCallLoadsForLongerThanTheWaitTimeout(Form form) throws Exception {
        onceLoading.set(() -> time.advance(ofSeconds(20)));
        assertThat(begin(form, cache()).end()).isEqualTo("one");
    }

    @ForEach
    void failureOfItsLoader(Form form) throws Exception {
        origin.fail(new IOException("origin is down"));
        assertThat(begin(form, cache()).end())
                .asInstanceOf(InstanceOfAssertFactories.THROWABLE)
                .hasRootCauseMessage("origin is down");
    }

    @ForEach
    void errorOfItsLoader(Form form) throws Exception {
        Error error = new AssertionError("of the loader");
        onceLoading.set(() -> {
            throw error;
        });
        assertThat(begin(form, cache()).end()).isSameAs(error);
    }

    @ForEach
    void whatAnotherCallerOfThisProcessLoads(Form form) throws Exception {
        StampedeGuardedCache<String, String> cache = cache();
        Callers.Call<String> leader = loadHere(cache);
        Ending ending = begin(form, cache);
        runUntil(() -> cache.explain("k").waiters() == 1);
        origin.open();

        assertThat(ending.end()).isEqualTo("one");
        assertThat(leader.result()).isEqualTo("one");
    }

    @ForEach
    void whatAnotherProcessLoads(Form form) throws Exception {
        holdElsewhere("k");
        StampedeGuardedCache<String, String> cache = cache();
        Ending ending = begin(form, cache);
        runUntil(() -> time.waiting() == 1);
        cache().put("k", "put");

        time.advance(ofSeconds(7));
        assertThat(ending.end()).isEqualTo("put");
    }

    @ForEach
    void endOfTheWaitForAnotherCaller(Form form) throws Exception {
        StampedeGuardedCache<String, String> cache = cache();
        loadHere(cache);
        Ending ending = begin(form, cache);
        runUntil(() -> cache.explain("k").waiters() == 1);
        until(() -> form == Form.ONE || time.waiting() == 1); // a thread has joined, and then begins to wait

        time.advance(ofSeconds(8));
        assertEndsWith("did not end within the waitTimeout", ending);
    }

    @ForEach
    void endOfTheWaitForAnotherProcess(Form form) throws Exception {
        holdElsewhere("k");
        Ending ending = begin(form, cache());
        runUntil(() -> time.waiting() == 1);

        time.advance(ofSeconds(8));
        assertEndsWith("did not end within the waitTimeout", ending);
    }

    @ForEach
    void keyThatCannotExist(Form form) throws Exception {
        assertThat(begin(form, cache(builder -> builder.keyValidator(key -> false)))
                        .end())
                .isNull();
    }

    @ForEach
    void closeOfTheCache(Form form) throws Exception {
        StampedeGuardedCache<String, String> cache = cache();
        loadHere(cache);
        Ending ending = begin(form, cache);
        runUntil(() -> cache.explain("k").waiters() == 1);
        callers.call(() -> {
            Fleet.closeAtOnce(cache);
            return "closed";
        });

        assertEndsWith("cache 'completion' was closed", ending);
    }

    @Test
    void lookUp() {
        StampedeGuardedCache<String, String> cache = cache();
        assertThat(new Ending(cache.lookupAsync("k").thenApply(LookupResult::state)).end())
                .isEqualTo(LookupResult.State.NOTHING);
    }

    @Test
    void lookUpForWhichNoThreadWasFree() {
        Ending ending = new Ending(cache().lookupAsync("k"));
        Runnable read = tasks.remove();
        time.advance(ofSeconds(8));
        assertEndsWith("no thread became free", ending);

        read.run();
        assertThat(store.count(ScriptedStore.Call.READ)).isZero();
    }

    @Test
    void closeOfTheCacheBesideALookUp() {
        StampedeGuardedCache<String, String> cache = cache();
        Ending ending = new Ending(cache.lookupAsync("k"));
        tasks.clear();
        Fleet.closeAtOnce(cache);
        assertEndsWith("cache 'completion' was closed", ending);
    }

    /** Its leader is interrupted then, and ends the call as well: that is not what happened to the call. */
    @ForEach
    void closeOfTheCacheWhileItWaitsForAnotherProcess(Form form) throws Exception {
        holdElsewhere("k");
        StampedeGuardedCache<String, String> cache = cache();
        Ending ending = begin(form, cache);
        runUntil(() -> time.waiting() == 1);
        callers.call(() -> {
            Fleet.closeAtOnce(cache);
            return "closed";
        });
        until(() -> tasks.size() >= 2);
        List<Runnable> ends = new ArrayList<>();
        tasks.drainTo(ends);
        Collections.reverse(ends);
        tasks.addAll(ends);

        assertEndsWith("cache 'completion' was closed", ending);
    }

    /** A leader can be held up only where leaders queue for threads: there are no virtual ones. */
    @TestFactory
    Stream<DynamicTest> flightThatEndsBeforeItsFollowerWaits() {
        return Runtime.version().feature() < 21
                ? Stream.of(DynamicTest.dynamicTest("in a queue", this::followAFlightThatEndsBeforeTheWait))
                : Stream.empty();
    }

    /** It finds no flight, and then joins one that completes before it waits: the fifth leader queues. */
    private void followAFlightThatEndsBeforeTheWait() throws Exception {
        AtomicReference<@Nullable Runnable> onceFollowing = new AtomicReference<>();
        StampedeGuardedCache<String, String> cache = cache(builder -> builder.timeSource(new ForwardingTime(time) {
            @Override
            public long monotonicNanos() {
                // taken out meanwhile: the condition reads the clock, too
                Runnable once =
                        Thread.currentThread().getName().endsWith("-async-1") ? onceFollowing.getAndSet(null) : null;
                if (once != null && caches.get(0).explain("k").waiters() == 1) {
                    once.run();
                } else if (once != null) {
                    onceFollowing.set(once);
                }
                return super.monotonicNanos();
            }
        }));
        List<String> others = List.of("a", "b", "c", "d");
        for (String key : others) { // the first thread leads the first
            holdElsewhere(key);
            cache.getAsync(key);
            runUntil(() -> time.waiting() == 1 + others.indexOf(key));
        }
        Ending ending = begin(Form.ONE, cache);
        runUntil(() -> listener.count(EventType.STORE_ABSENT) == 5);
        Callers.Call<String> leader = loadHere(cache);
        onceFollowing.set(() -> {
            origin.open();
            until(leader::isOver);
        });
        cache().put("a", "put");
        time.advance(ofSeconds(7)); // its leader polls, ends, and leads the call

        assertThat(ending.end()).isEqualTo("one");
        assertThat(onceFollowing).as("it ended there").hasNullValue();
    }

    @ForEach
    void executorThatRefusesIsReplacedByAThreadOfTheCallsOwn(Form form) throws Exception {
        onceLoading.set(() -> isFull = true);
        Ending ending = begin(form, cache());
        runUntil(ending.future::isDone);

        assertThat(ending.future.join()).isEqualTo("one");
        assertThat(ending.where.get()).startsWith("stampede-completion-async-");
    }

    @ForEach
    void lateExecutorIsReplacedByAThreadOfTheCallsOwn(Form form) throws Exception {
        onceLoading.set(() -> time.advance(ofSeconds(20)));
        Ending ending = begin(form, cache());
        until(() -> tasks.size() == 1);
        runOne(); // the read
        until(() -> !tasks.isEmpty()); // the load has ended
        until(() -> {
            time.advance(ofSeconds(1));
            return ending.future.isDone();
        });

        assertThat(ending.future.join()).isEqualTo("one");
        assertThat(ending.where.get()).startsWith("stampede-completion-async-");
    }
}
