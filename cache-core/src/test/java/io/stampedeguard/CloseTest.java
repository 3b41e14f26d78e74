package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.Policies.withoutJitter;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.report.LeaseReport;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.AsyncOrigin;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedCodec;
import io.stampedeguard.testkit.ScriptedStore;
import io.stampedeguard.testkit.ScriptedStore.Call;
import io.stampedeguard.testkit.VirtualTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What {@code close()} does to loads, callers, leases, and threads. */
final class CloseTest {
    private static final String CLOSED = "cache 'fleet' was closed";

    /** Leases outlive the test: what ends them earlier is their release. */
    private static final CachePolicy POLICY = withoutJitter(ofMinutes(10), ofMinutes(20))
            .leaseTtl(ofMinutes(5))
            .loadTimeout(ofMinutes(8))
            .waitTimeout(ofMinutes(9))
            .maxConcurrentLoads(2)
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(2, POLICY);

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);

    @AutoClose
    private final AsyncOrigin asyncOrigin = new AsyncOrigin(fleet.origin());

    @Test
    void loadEndingDuringCloseIsStoredAndAnswersAllCallers() throws Exception {
        Callers.Call<String> leader = fleet.loading(0, "k");
        Callers.Call<String> follower = fleet.get(0, "k");
        fleet.time().awaitWaiting(1);
        CompletableFuture<String> future = cache.getAsync("k", asyncOrigin::read);
        CompletableFuture<Map<String, String>> futures = cache.getAllAsync(List.of("k"), fleet.bulkOrigin());
        fleet.time().awaitWaiting(2);

        Callers.Call<Boolean> closing = fleet.closing(0);
        fleet.time().awaitWaiting(3);
        assertThatThrownBy(() -> cache.get("other")).isInstanceOf(IllegalStateException.class);
        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(follower.result()).isEqualTo("one");
        assertThat(future.get(1, TimeUnit.MINUTES)).isEqualTo("one");
        assertThat(futures.get(1, TimeUnit.MINUTES)).containsEntry("k", "one");
        assertThat(closing.result()).isTrue();
        assertThat(fleet.cache(1).get("k")).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void loaderMayRequestOtherKeysDuringTheClose() throws Exception {
        CountDownLatch runs = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        Callers.Call<String> outer = fleet.callers()
                .call(() -> cache.get("outer", key -> {
                    runs.countDown();
                    goesOn.await();
                    return "with " + cache.get("inner");
                }));
        runs.await();

        Callers.Call<Boolean> closing = fleet.closing(0);
        fleet.time().awaitWaiting(1);
        goesOn.countDown();

        assertThat(outer.result()).isEqualTo("with one");
        assertThat(closing.result()).isTrue();
        assertThat(fleet.listener().amounts(EventType.COOL_DOWN)).isEmpty();
        assertThat(fleet.cache(1).get("outer")).isEqualTo("with one");
        assertThat(fleet.cache(1).get("inner")).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void interruptedCloseInterruptsLoadsAndReleasesTheirLeases() throws Exception {
        Callers.Call<String> leader = fleet.loading(0, "k");
        Callers.Call<String> follower = fleet.get(0, "k");
        fleet.time().awaitWaiting(1);
        CompletableFuture<String> following = cache.getAsync("k", asyncOrigin::read);
        CompletableFuture<String> leading = cache.getAsync("async", asyncOrigin::read);
        until(() -> fleet.origin().running() == 2);
        fleet.time().awaitWaiting(2);

        Callers.Call<Boolean> closing = fleet.closing(0);
        fleet.time().awaitWaiting(3);
        closing.interrupt();

        assertThat(closing.result()).isTrue();
        assertThat(leader.failure()).isInstanceOf(IllegalStateException.class).hasMessage(CLOSED);
        assertThat(follower.failure()).isInstanceOf(IllegalStateException.class).hasMessage(CLOSED);
        assertFails(following);
        assertFails(leading);
        fleet.origin().open();
        assertThat(fleet.cache(1).get("k")).isEqualTo("one");
        assertThat(fleet.cache(1).get("async")).isEqualTo("one");
    }

    private boolean isFree(String key) {
        LeaseReport lease = fleet.cache(1).explain(key).lease();
        return lease != null && lease.state() == LeaseReport.State.FREE;
    }

    private static void assertFails(CompletableFuture<String> future) {
        assertThat(future)
                .failsWithin(1, TimeUnit.MINUTES)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(IllegalStateException.class)
                .withMessage(CLOSED);
    }

    @Test
    void callerThatWaitsForAPermitFailsAtOnce() throws Exception {
        fleet.origin().close();
        Callers.Call<String> one = fleet.get(0, "one");
        Callers.Call<String> two = fleet.get(0, "two");
        until(() -> fleet.origin().running() == 2);
        Callers.Call<String> third = fleet.get(0, "third");
        fleet.time().awaitWaiting(1);

        Callers.Call<Boolean> closing = fleet.closing(0);

        assertThat(third.failure()).isInstanceOf(IllegalStateException.class).hasMessage(CLOSED);
        assertThat(closing.isOver()).isFalse();
        fleet.origin().open();
        assertThat(closing.result()).isTrue();
        assertThat(one.result()).isEqualTo("one");
        assertThat(two.result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @Test
    void callerThatWaitsForAnotherProcessFailsAtItsNextPoll() throws Exception {
        Callers.Call<String> elsewhere = fleet.loading(1, "k");
        Callers.Call<String> waiting = fleet.get(0, "k");
        fleet.time().awaitWaiting(1);

        cache.close();
        fleet.advance(POLICY.maxPollInterval());

        assertThat(waiting.failure()).isInstanceOf(IllegalStateException.class).hasMessage(CLOSED);
        fleet.origin().open();
        assertThat(elsewhere.result()).isEqualTo("one");
    }

    @Test
    void leaseGrantedDuringTheCloseIsReleasedWithoutALoad() throws Exception {
        CountDownLatch requested = new CountDownLatch(1);
        CountDownLatch granted = new CountDownLatch(1);
        fleet.store().after(Call.LEASE, () -> {
            requested.countDown();
            Fleet.await(granted);
        });
        Callers.Call<String> late = fleet.get(0, "k");
        requested.await();

        Callers.Call<Boolean> closing = fleet.closing(0);
        fleet.time().awaitWaiting(1);
        granted.countDown();

        assertThat(late.failure()).isInstanceOf(IllegalStateException.class).hasMessage(CLOSED);
        assertThat(closing.result()).isTrue();
        assertThat(fleet.origin().reads()).isZero();
        assertThat(fleet.cache(1).get("k")).isEqualTo("one");
    }

    @Test
    void unansweredLeaseOfAnInterruptedThreadIsReleasedAfterClose() throws Exception {
        CountDownLatch requested = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        fleet.store().after(Call.LEASE, () -> {
            requested.countDown();
            boolean interrupted = false;
            while (closed.getCount() > 0) {
                try {
                    closed.await();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
                throw new StoreException("interrupted while waiting for an answer");
            }
        });
        CompletableFuture<String> future = cache.getAsync("k", asyncOrigin::read);
        requested.await();

        Fleet.closeAtOnce(cache);
        closed.countDown();

        assertFails(future);
        until(() -> isFree("k"));
    }

    @Test
    void loaderMayCloseItsCacheAndIsNotWaitedFor() {
        AtomicBoolean interrupted = new AtomicBoolean();
        AtomicReference<Throwable> afterwards = new AtomicReference<>();

        assertThatThrownBy(() -> cache.get("k", key -> {
                    cache.close();
                    interrupted.set(Thread.currentThread().isInterrupted());
                    afterwards.set(catchThrowable(() -> cache.getIfPresent("other")));
                    return "late";
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(CLOSED);

        assertThat(interrupted).isTrue();
        assertThat(afterwards.get()).as("no wait, so no other key either").isInstanceOf(IllegalStateException.class);
        assertThat(Thread.currentThread().isInterrupted())
                .as("the interrupt was meant for the loader")
                .isFalse();
        assertThat(fleet.cache(1).get("k")).isEqualTo("one");
    }

    @ForEach
    void listenerAndCodecMayCloseTheirCacheAndAreNotWaitedFor(boolean isListener) throws Exception {
        AtomicReference<StampedeGuardedCache<String, String>> closed = new AtomicReference<>();
        CacheListener listener = new CacheListener() {
            @Override
            public void onEvent(String name, CacheEvent event) {
                if (event.type() == EventType.LOAD_STORED) {
                    closed.get().close();
                }
            }
        };
        ScriptedCodec codec = ScriptedCodec.encoding(value -> closed.get().close());
        StampedeGuardedCacheBuilder<String, String> builder = fleet.builder("closed-within-" + isListener);
        closed.set((isListener ? builder.listener(listener) : builder.codec(codec)).build());

        Callers.Call<String> call = fleet.callers().call(() -> closed.get().get("k", key -> "one"));

        assertThat(call.result()).isEqualTo("one");
    }

    @Test
    void interruptedCallerClosesWithoutAWait() throws Exception {
        Callers.Call<String> leader = fleet.loading(0, "k");

        Callers.Call<Boolean> closing = fleet.callers().call(() -> {
            Thread.currentThread().interrupt();
            cache.close();
            return Thread.interrupted();
        });

        assertThat(closing.result()).as("its flag is set again").isTrue();
        assertThat(leader.failure()).isInstanceOf(IllegalStateException.class);
        fleet.origin().open();
        assertThat(fleet.cache(1).get("k")).isEqualTo("one");
    }

    @Test
    void manyThreadsMayClose() throws Exception {
        Callers.Call<String> leader = fleet.loading(0, "k");

        List<Callers.Call<Boolean>> closing = fleet.callers().call(8, () -> {
            cache.close();
            return true;
        });
        until(() -> closing.stream().filter(Callers.Call::isOver).count() == 7);
        fleet.origin().open();

        assertThat(Callers.results(closing)).containsOnly(true);
        assertThat(leader.result()).isEqualTo("one");
    }

    /** Each kind of thread runs when the cache is closed: a reload, renewals, tasks, replays, and asynchronous calls. */
    @Test
    void allThreadsEndAndNoTimerIsSetAgain() throws Exception {
        VirtualTime time = new VirtualTime();
        ScriptedStore store = new ScriptedStore(InMemoryStore.create(time));
        CountDownLatch reloads = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        StampedeGuardedCache<String, String> busy = textCache("busy", store)
                .policy(POLICY.toBuilder().leaseTtl(ofSeconds(30)).build())
                .timeSource(time)
                .onPlatformThreads()
                .build();
        assertThat(threads()).isZero();
        busy.put("stale", "one"); // no load, whose timer for renewals could still run below
        time.advance(ofMinutes(11));
        busy.get("stale", key -> {
            reloads.countDown();
            never.await();
            return "two";
        });
        CompletableFuture<String> future = busy.getAsync("k", key -> new CompletableFuture<>());
        time.awaitWaiting(1);
        reloads.await();
        time.advance(ofSeconds(10)); // in one step: the timer of the renewals is set again by their own thread
        until(() -> store.count(Call.RENEW) > 0);
        store.refuse();
        busy.invalidate("queued");
        time.advance(ofSeconds(1));
        until(() -> store.count(Call.INVALIDATE) > 1);
        assertThat(threads("refresh")).isOne(); // idle threads may have ended
        assertThat(threads("async")).isPositive();

        Callers.Call<Boolean> closing = fleet.callers().call(() -> {
            busy.close();
            return true;
        });
        time.awaitWaiting(2);
        closing.interrupt();
        assertThat(closing.result()).isTrue();

        until(() -> threads() == 0);
        assertThat(future).isCompletedExceptionally();
        for (int i = 0; i < 10; i++) {
            time.advance(ofMinutes(10));
        }
        assertThat(time.timers()).isZero();
    }

    private static long threads() {
        return threads("");
    }

    private static long threads(String purpose) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("stampede-busy-" + purpose))
                .count();
    }
}
