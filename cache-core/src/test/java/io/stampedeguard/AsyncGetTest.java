package io.stampedeguard;

import static io.stampedeguard.testkit.Callers.failure;
import static io.stampedeguard.testkit.Callers.result;
import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.codec.MutableValueCodec;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadTimeoutException;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.RecentLoadFailureException;
import io.stampedeguard.loader.RecursiveLoadException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.AsyncOrigin;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.Origin;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an asynchronous caller gets, and when. */
final class AsyncGetTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(ofSeconds(60))
            .hardTtl(ofSeconds(120))
            .waitTimeout(ofSeconds(10))
            .loadTimeout(ofSeconds(30))
            .jitter(0)
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(1, POLICY);

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);
    private final Origin origin = fleet.origin();

    @AutoClose
    private final AsyncOrigin asyncOrigin = new AsyncOrigin(origin);

    @AutoClose("shutdownNow")
    private final ThreadPoolExecutor pool = (ThreadPoolExecutor) Executors.newFixedThreadPool(2);

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = "one")
    void rowOrItsAbsenceIsLoadedOnce(String row) throws Exception {
        origin.write(row);
        assertThat(result(cache.getAsync("k", asyncOrigin::read))).isEqualTo(row);
        assertThat(result(cache.getAsync("k", asyncOrigin::read))).isEqualTo(row);
        assertThat(cache.get("k", origin::read)).isEqualTo(row);
        assertThat(origin.reads()).isEqualTo(1);
        assertNoTimerIsLeft();
    }

    @Test
    void oneLoadServesCallersOfEitherKind() throws Exception {
        origin.close();
        List<CompletableFuture<String>> futures = getAsync(cache, 200);
        List<Callers.Call<String>> waiting = fleet.callers().call(50, () -> cache.get("k", origin::read));
        futures.addAll(getAsync(cache, 200));
        until(() -> origin.running() == 1);
        origin.open();

        assertThat(Callers.results(waiting)).containsOnly("one");
        assertThat(Callers.values(futures)).containsOnly("one");
        assertThat(origin.reads()).isEqualTo(1);
    }

    @Test
    void whoCancelsOrCompletesItsFutureTouchesNobodyElse() throws Exception {
        origin.close();
        CompletableFuture<String> leader = cache.getAsync("k", asyncOrigin::read);
        until(() -> origin.running() == 1);
        CompletableFuture<String> cancelled = cache.getAsync("k", asyncOrigin::read);
        CompletableFuture<String> completed = cache.getAsync("k", asyncOrigin::read);
        CompletableFuture<String> patient = cache.getAsync("k", asyncOrigin::read);

        assertThat(leader.cancel(true)).isTrue();
        assertThat(cancelled.cancel(true)).isTrue();
        assertThat(completed.complete("mine")).isTrue();
        assertThat(patient).isNotDone();
        origin.open();

        assertThat(result(patient)).isEqualTo("one");
        assertThat(result(cache.getAsync("k", asyncOrigin::read))).isEqualTo("one");
        assertThat(completed).isCompletedWithValue("mine");
        assertThat(origin.reads())
                .as("the load of the leader that was cancelled ran on")
                .isEqualTo(1);
        assertNoTimerIsLeft();
    }

    @Test
    void followerEndsWithTheWaitTimeoutAndNeverLoads() throws Exception {
        try (StampedeGuardedCache<String, String> pooled =
                fleet.builder("fleet").asyncExecutor(pool).build()) {
            origin.close();
            Callers.Call<String> leader = fleet.callers().call(() -> pooled.get("k", origin::read));
            until(() -> origin.running() == 1);
            List<CompletableFuture<String>> futures = getAsync(pooled, 1_000);
            until(() -> pool.getCompletedTaskCount() == 1_000);

            fleet.time().advance(ofMillis(9_999));
            assertThat(futures).noneMatch(CompletableFuture::isDone);
            fleet.time().advance(ofMillis(1));

            for (CompletableFuture<String> future : futures) {
                assertThat(failure(future)).isInstanceOf(WaitTimeoutException.class);
            }
            assertThat(failure(futures.get(0))).as("each has its own").isNotSameAs(failure(futures.get(1)));
            assertThatThrownBy(futures.get(0)::join)
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(WaitTimeoutException.class);
            assertThat(fleet.listener().count(EventType.WAIT_TIMED_OUT)).isEqualTo(1_000);
            until(() -> pool.getCompletedTaskCount() == 2_000); // a read and an end for each
            origin.open();
            assertThat(leader.result()).isEqualTo("one");
            assertThat(origin.reads()).isEqualTo(1);
        }
    }

    @Test
    void leaderIsCutOffAtTheLoadTimeoutAndItsStageCancelled() throws Exception {
        CompletableFuture<String> never = new CompletableFuture<>();
        CompletableFuture<String> leader = cache.getAsync("k", key -> never);
        fleet.time().awaitWaiting(1);
        CompletableFuture<String> follower = cache.getAsync("k", key -> never);

        fleet.time().advance(ofMillis(9_999));
        assertThat(leader).isNotDone();
        fleet.time().advance(ofMillis(1));
        assertThat(failure(follower)).isInstanceOf(CacheException.class);
        fleet.time().advance(ofSeconds(20));

        assertThat(failure(leader)).isInstanceOf(LoadTimeoutException.class);
        until(never::isCancelled);
        assertThat(fleet.listener().amounts(EventType.STUCK_LOADS)).isEmpty();
    }

    @Test
    void whatAStageFailedWithIsTheCauseItself() throws Exception {
        IOException down = new IOException("down, says the test");
        origin.fail(down);
        origin.close();
        CompletableFuture<String> leader =
                cache.getAsync("k", key -> asyncOrigin.read(key).thenApply(row -> row));
        until(() -> origin.running() == 1);
        CompletableFuture<String> follower = cache.getAsync("k", asyncOrigin::read);
        origin.open();

        assertThat(failure(leader)).isInstanceOf(LoadException.class).cause().isSameAs(down);
        assertThat(failure(follower)).isInstanceOfAny(LoadException.class, RecentLoadFailureException.class);
        assertThat(failure(follower)).isNotSameAs(failure(leader));
        assertThat(failure(cache.getAsync("k", asyncOrigin::read)))
                .as("the key cools down")
                .isInstanceOf(RecentLoadFailureException.class);
    }

    @Test
    void loaderThatThrowsReturnsNoStageOrFailsWithoutAnExceptionFails() throws Exception {
        IOException refused = new IOException("refused, says the test");
        AssertionError broken = new AssertionError("broken, says the test");
        InterruptedException elsewhere = new InterruptedException("elsewhere, says the test");

        assertThat(failure(cache.getAsync("a", key -> {
                    throw refused;
                })))
                .cause()
                .isSameAs(refused);
        assertThat(failure(cache.getAsync("b", key -> null)))
                .isInstanceOf(LoadException.class)
                .hasRootCauseMessage("the asynchronous loader returned null instead of a stage");
        assertThat(failure(cache.getAsync("c", key -> CompletableFuture.failedFuture(broken))))
                .isSameAs(broken);
        assertThat(failure(cache.getAsync("d", key -> CompletableFuture.failedFuture(elsewhere))))
                .isInstanceOf(LoadException.class)
                .hasRootCause(elsewhere);
    }

    @Test
    void loaderThatAsksForItsOwnKeyIsTold() throws Exception {
        CompletableFuture<String> outer = cache.getAsync("k", key -> cache.getAsync("k", asyncOrigin::read));

        assertThat(failure(outer)).isInstanceOf(LoadException.class).cause().isInstanceOf(RecursiveLoadException.class);
    }

    @Test
    void loaderThatReloadsAStaleValueMayLookAtIt() throws Exception {
        result(cache.getAsync("k", asyncOrigin::read));
        fleet.time().advance(ofSeconds(61));

        result(cache.getAsync(
                "k", key -> cache.getAsync("k", asyncOrigin::read).thenApply(stale -> stale + ", reloaded")));

        until(() -> fleet.listener().count(EventType.LOAD_STORED) == 2);
        assertThat(result(cache.getAsync("k", asyncOrigin::read))).isEqualTo("one, reloaded");
    }

    @Test
    void recursiveGetOnAnotherThreadEndsAtTheWaitTimeout() throws Exception {
        CompletableFuture<CompletableFuture<String>> asked = new CompletableFuture<>();
        CompletableFuture<String> outer = cache.getAsync(
                "k",
                key -> CompletableFuture.supplyAsync(() -> cache.getAsync("k", asyncOrigin::read), pool)
                        .thenCompose(inner -> {
                            asked.complete(inner);
                            return inner;
                        }));
        result(asked);

        fleet.time().advance(ofSeconds(10));

        assertThat(failure(result(asked))).isInstanceOfAny(WaitTimeoutException.class, OriginBusyException.class);
        assertThat(failure(outer)).isInstanceOf(LoadException.class);
    }

    @Test
    void futureEndsThoughTheMachineRunsOutOfMemoryInAListener() throws Exception {
        CacheListener starving = new CacheListener() {
            @Override
            public void onRead(String name, AnswerSource source) {
                throw new OutOfMemoryError("no room for " + source);
            }
        };
        try (StampedeGuardedCache<String, String> other =
                fleet.builder("fleet").listener(starving).build()) {
            assertThat(failure(other.getAsync("k", asyncOrigin::read))).isInstanceOf(OutOfMemoryError.class);
            assertThat(failure(other.getAsync("k", asyncOrigin::read))).isInstanceOf(OutOfMemoryError.class);
        }
        assertThat(origin.reads()).isEqualTo(1);
    }

    @Test
    void futureEndsThoughTheMachineRunsOutOfMemoryInACopy() throws Exception {
        StringCodec texts = StringCodec.of();
        MutableValueCodec<String> starving = new MutableValueCodec<>() {
            @Override
            public String copy(String value) {
                throw new OutOfMemoryError("no room for " + value);
            }

            @Override
            public byte[] encode(String value) throws IOException {
                return texts.encode(value);
            }

            @Override
            public String decode(ByteBuffer bytes) throws IOException {
                return texts.decode(bytes);
            }
        };
        try (StampedeGuardedCache<String, String> other =
                fleet.builder("fleet").codec(starving).build()) {
            assertThat(failure(other.getAsync("k", asyncOrigin::read))).isInstanceOf(OutOfMemoryError.class);
        }
    }

    private void assertNoTimerIsLeft() {
        fleet.time().advance(ofSeconds(2)); // for the last renewal of leases
        until(() -> fleet.time().timers() == 0);
    }

    private List<CompletableFuture<String>> getAsync(StampedeGuardedCache<String, String> from, int callers) {
        return new ArrayList<>(IntStream.range(0, callers)
                .mapToObj(i -> from.getAsync("k", asyncOrigin::read))
                .toList());
    }
}
