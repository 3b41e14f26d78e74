package io.stampedeguard;

import static io.stampedeguard.testkit.Callers.failure;
import static io.stampedeguard.testkit.Callers.result;
import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.Policies.exact;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.StoreFailureMode;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Changes whose callers do not wait. */
final class AsyncChangesTest {
    private static final CachePolicy POLICY =
            exact(ofSeconds(100), ofSeconds(200)).maxPayloadBytes(10).build();

    @AutoClose
    private final Fleet fleet = new Fleet(1, POLICY, builder -> builder.recordStats());

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    enum Change {
        PUT {
            @Override
            CompletableFuture<@Nullable Void> begin(StampedeGuardedCache<String, String> cache) {
                return cache.putAsync("k", "put");
            }
        },
        INVALIDATE {
            @Override
            CompletableFuture<@Nullable Void> begin(StampedeGuardedCache<String, String> cache) {
                return cache.invalidateAsync("k");
            }
        },
        EXPIRE {
            @Override
            CompletableFuture<@Nullable Void> begin(StampedeGuardedCache<String, String> cache) {
                return cache.expireAsync("k");
            }
        };

        abstract CompletableFuture<@Nullable Void> begin(StampedeGuardedCache<String, String> cache);

        Call call() {
            return Call.valueOf(name());
        }
    }

    private StampedeGuardedCache<String, String> on(Executor executor) {
        return fleet.builder("fleet").asyncExecutor(executor).recordStats().build();
    }

    @Test
    void eachChangeHasHappenedWhenItsFutureCompletes() throws Exception {
        assertThat(result(cache.putAsync("k", "put"))).isNull();
        assertThat(cache.get("k")).isEqualTo("put");

        result(cache.expireAsync("k"));
        assertThat(cache.get("k")).as("stale").isEqualTo("put");
        until(() -> fleet.origin().reads() == 1);

        result(cache.invalidateAsync("k"));
        fleet.origin().write("two");
        assertThat(cache.get("k")).isEqualTo("two");
    }

    @ForEach
    void callDoesNotWaitForTheStore(Change change) throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        fleet.store().before(change.call(), () -> Fleet.await(gate));

        CompletableFuture<@Nullable Void> future = change.begin(cache);

        assertThat(future).isNotDone();
        gate.countDown();
        result(future);
        assertThat(fleet.store().count(change.call())).isEqualTo(1);
    }

    @ForEach
    void executorTaskMakesTheChangeAndCompletesItsFuture(Change change) {
        try (StampedeGuardedCache<String, String> pooled = on(tasks::add)) {
            CompletableFuture<@Nullable Void> future = change.begin(pooled);
            assertThat(fleet.store().count(change.call())).isZero();
            List<Thread> completedOn = new ArrayList<>();
            CompletableFuture<Void> after = future.thenAccept(nothing -> completedOn.add(Thread.currentThread()));

            tasks.remove().run();

            assertThat(after).isCompleted();
            assertThat(completedOn).containsExactly(Thread.currentThread());
            assertThat(fleet.store().count(change.call())).isEqualTo(1);
        }
    }

    @ForEach
    void rejectedChangeIsNotMade(Change change) throws Exception {
        try (StampedeGuardedCache<String, String> full = on(task -> {
            throw new RejectedExecutionException("full, says the test");
        })) {
            assertThat(failure(change.begin(full)))
                    .isInstanceOf(OriginBusyException.class)
                    .hasMessage("the executor for asynchronous callers rejected the call for 'fleet:k'")
                    .hasRootCauseMessage("full, says the test");
            assertThat(fleet.store().count(change.call())).isZero();
        }
    }

    @ForEach
    void unansweredChangeIsQueued(Change change) throws Exception {
        fleet.store().refuse();
        result(change.begin(cache));
        assertThat(cache.stats().queuedChanges()).isEqualTo(1);
    }

    @ForEach
    void futureFailsWithWhatTheCallWouldThrow(Change change) throws Exception {
        try (Fleet throwing = new Fleet(
                1, POLICY.toBuilder().onStoreFailure(StoreFailureMode.THROW).build())) {
            throwing.store().refuse();
            assertThat(failure(change.begin(throwing.cache(0))))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("the change is queued");
        }
        assertThat(failure(cache.putAsync("k", "more than ten bytes"))).isInstanceOf(IllegalArgumentException.class);
    }

    @ForEach
    void cancelledFutureStopsNoChange(Change change) {
        try (StampedeGuardedCache<String, String> pooled = on(tasks::add)) {
            assertThat(change.begin(pooled).cancel(true)).isTrue();
            tasks.remove().run();
            assertThat(fleet.store().count(change.call())).isEqualTo(1);
        }
    }

    /** The change of a future that its owner has cancelled is made as well. */
    @ForEach
    void closeWaitsForAChange(Change change, boolean isCancelled) throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        fleet.store().before(change.call(), () -> {
            begun.countDown();
            Fleet.await(gate);
        });
        CompletableFuture<@Nullable Void> future = change.begin(cache);
        begun.await();
        assertThat(isCancelled && future.cancel(true)).isEqualTo(isCancelled);

        Callers.Call<Boolean> closing = fleet.closing(0);
        fleet.time().awaitWaiting(1);
        assertThat(closing.isOver()).isFalse();
        gate.countDown();

        assertThat(closing.result()).isTrue();
        assertThat(future).isDone();
        assertThat(fleet.store().done(change.call())).isEqualTo(1);
    }

    @ForEach
    void changeThatWasNotBegunBeforeTheCloseIsNeverMade(Change change) throws Exception {
        StampedeGuardedCache<String, String> pooled = on(tasks::add);
        CompletableFuture<@Nullable Void> future = change.begin(pooled);

        Fleet.closeAtOnce(pooled);

        assertThat(failure(future)).isInstanceOf(IllegalStateException.class).hasMessage("cache 'fleet' was closed");
        tasks.remove().run();
        assertThat(fleet.store().count(change.call())).isZero();
    }

    @Test
    void manyChangesAreAllMadeBeforeTheyComplete() throws Exception {
        List<CompletableFuture<@Nullable Void>> futures = new ArrayList<>();
        List<String> keys = IntStream.range(0, 500).mapToObj(i -> "k" + i).toList();
        keys.forEach(key -> futures.add(cache.putAsync(key, "v")));

        Callers.values(futures);

        assertThat(keys).allSatisfy(key -> assertThat(cache.getIfPresent(key)).isEqualTo("v"));
    }

    @Test
    void pathOfPlatformThreadsMakesThemToo() throws Exception {
        try (StampedeGuardedCache<String, String> platform =
                fleet.builder("fleet").onPlatformThreads().build()) {
            result(platform.putAsync("k", "put"));
            assertThat(cache.get("k")).isEqualTo("put");
        }
    }
}
