package io.stampedeguard.internal.call;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.CacheListener;
import io.stampedeguard.internal.call.LoadPermits.Permit;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.HotKeys;
import io.stampedeguard.internal.thread.BackgroundTasks;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.StillTime;
import io.stampedeguard.testkit.VirtualTime;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Permits never exceed the limit, go to the load with the most waiting callers, and are never lost. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class LoadPermitsTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final IntSupplier ALONE = () -> 1;

    private final VirtualTime time = new VirtualTime();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void endThreads() {
        threads.shutdownNow();
    }

    @Test
    void freePermitsAreTakenWithoutWaiting() throws InterruptedException {
        LoadPermits permits = permits(2);

        Permit first = taken(permits.acquire(0, ALONE));
        assertThat(permits.tryAcquire()).isNotNull();
        assertThat(permits.tryAcquire()).isNull();
        assertThat(permits.acquire(0, ALONE)).isNull();
        assertThat(permits.acquire(-1, ALONE)).isNull();

        first.release();
        first.release();
        assertThat(permits.tryAcquire()).isNotNull();
        assertThat(permits.tryAcquire()).as("a second release has no effect").isNull();
    }

    private LoadPermits permits(int number) {
        return permits(number, time);
    }

    static LoadPermits permits(int number, TimeSource time) {
        return new LoadPermits(context(number, time), new BackgroundTasks("test", "tasks", time));
    }

    static OriginGuard guard(LoadPermits permits, TimeSource time) {
        return new OriginGuard(context(permits.limit(), time), permits, new BackgroundTasks("test", "tasks", time));
    }

    private static CacheContext context(int number, TimeSource time) {
        return new CacheContext(
                "test",
                CachePolicy.builder().maxConcurrentLoads(number).build(),
                time,
                new CacheEvents("test", new CacheListener() {}, time),
                new HotKeys("test", time));
    }

    private static Permit taken(@Nullable Permit permit) {
        return requireNonNull(permit, "no permit is free");
    }

    @Test
    void boundIsNeverExceededUnderManyThreads() throws Exception {
        loadOnManyThreads(300);
    }

    @Test
    @Tag("proof")
    void boundIsNeverExceededUnderManyThreadsHoweverLongItLasts() throws Exception {
        loadOnManyThreads(6_000);
    }

    private void loadOnManyThreads(int loads) throws Exception {
        LoadPermits permits = permits(3);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger mostInside = new AtomicInteger();
        Callable<Integer> loading = () -> {
            int got = 0;
            for (int i = 0; i < loads; i++) {
                Permit permit = i % 3 == 0 ? permits.tryAcquire() : permits.acquire(SECOND, ALONE);
                if (permit != null) {
                    mostInside.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    got++;
                    Thread.yield();
                    inside.decrementAndGet();
                    permit.release();
                }
            }
            return got;
        };
        List<Future<Integer>> runs = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            runs.add(threads.submit(loading));
        }
        for (Future<Integer> run : runs) {
            assertThat(run.get()).as("nobody who waits goes without").isGreaterThanOrEqualTo(loads * 2 / 3);
        }
        assertThat(mostInside.get()).isEqualTo(3);
        assertThat(freeIn(permits)).isEqualTo(3);
    }

    @Test
    void ofEquallyHotLoadsTheLongestWaitComesFirst() throws Exception {
        LoadPermits permits = permits(1);
        Permit held = taken(permits.acquire(0, ALONE));
        ConcurrentLinkedQueue<Integer> served = new ConcurrentLinkedQueue<>();
        List<Future<Permit>> waits = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            waits.add(threads.submit(() -> {
                Permit permit = taken(permits.acquire(SECOND, ALONE));
                served.add(number);
                return permit;
            }));
            time.awaitWaiting(i + 1);
        }
        for (int i = 0; i < 5; i++) {
            held.release();
            held = waits.get(i).get();
            assertThat(served).hasSize(i + 1);
        }
        assertThat(served).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    void releasedPermitGoesToTheCurrentlyHottestLoad() throws Exception {
        LoadPermits permits = permits(1);
        Permit held = taken(permits.acquire(0, ALONE));
        AtomicInteger warming = new AtomicInteger(1);
        Future<Permit> cold = waitFor(permits, () -> 1, 1);
        Future<Permit> warm = waitFor(permits, () -> 3, 2);
        Future<Permit> hot = waitFor(permits, warming::get, 3);
        warming.set(4); // others have joined its flight

        held.release();
        Permit first = hot.get();
        first.release();
        Permit second = warm.get();
        assertThat(cold.isDone()).isFalse();
        second.release();
        assertThat(cold.get()).isNotNull();
    }

    @Test
    void eachSecondOfAWaitCountsAsOneMoreCaller() throws Exception {
        LoadPermits permits = permits(1);
        Permit held = taken(permits.acquire(0, ALONE));
        Future<Permit> old = waitFor(permits, () -> 1, 1);
        time.advance(Duration.ofSeconds(3));
        Future<Permit> hot = waitFor(permits, () -> 5, 2);
        Future<Permit> warm = waitFor(permits, () -> 3, 3);

        held.release();
        hot.get().release();
        Permit second = old.get();

        assertThat(warm.isDone())
                .as("3 callers, against 1 that has waited for 3 s")
                .isFalse();
        second.release();
        assertThat(warm.get()).isNotNull();
    }

    @Test
    void waitInFrontOfAnotherEndsAndTheOtherIsServed() throws Exception {
        LoadPermits permits = permits(1);
        Permit held = taken(permits.acquire(0, ALONE));
        Future<Permit> brief = threads.submit(() -> permits.acquire(SECOND, () -> 9));
        time.awaitWaiting(1);
        Future<Permit> patient = waitFor(permits, () -> 1, 2);

        time.advance(Duration.ofSeconds(1));
        assertThat(brief.get()).isNull();
        held.release();

        assertThat(patient.get()).isNotNull();
        assertThat(permits.waiting()).isZero();
    }

    @Test
    void lowerLimitTakesEffectAsPermitsAreReleased() throws Exception {
        LoadPermits permits = permits(3);
        List<Permit> held = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            held.add(taken(permits.acquire(0, ALONE)));
        }
        Future<Permit> waits = waitFor(permits, ALONE, 1);

        permits.limit(2);
        assertThat(permits.limit()).isEqualTo(2);
        assertThat(permits.running()).isEqualTo(3);
        held.get(0).release();
        assertThat(permits.running()).isEqualTo(2);
        assertThat(permits.waiting()).isEqualTo(1);
        held.get(1).release();

        assertThat(waits.get()).isNotNull();
        assertThat(permits.running()).isEqualTo(2);
    }

    @Test
    void higherLimitServesThoseThatWaitTheHottestFirst() throws Exception {
        LoadPermits permits = permits(1);
        taken(permits.acquire(0, ALONE));
        Future<Permit> cold = waitFor(permits, () -> 1, 1);
        Future<Permit> warm = waitFor(permits, () -> 2, 2);
        Future<Permit> hot = waitFor(permits, () -> 3, 3);

        permits.limit(3);

        assertThat(hot.get()).isNotNull();
        assertThat(warm.get()).isNotNull();
        assertThat(cold.isDone()).isFalse();
        assertThat(permits.tryAcquire()).isNull();
        permits.limit(5);
        assertThat(cold.get()).isNotNull();
        assertThat(freeIn(permits)).isEqualTo(1);
    }

    /** Begins to wait, and returns when it does; {@code waiting}: how many wait then. */
    private Future<Permit> waitFor(LoadPermits permits, IntSupplier callers, int waiting) throws InterruptedException {
        Future<Permit> wait = threads.submit(() -> permits.acquire(100 * SECOND, callers));
        time.awaitWaiting(waiting);
        return wait;
    }

    @Test
    void newcomerDoesNotOvertakeWhoWaits() throws Exception {
        LoadPermits permits = permits(1);
        Permit held = taken(permits.acquire(0, ALONE));
        Future<Permit> waits = threads.submit(() -> permits.acquire(SECOND, ALONE));
        time.awaitWaiting(1);

        held.release();

        assertThat(permits.tryAcquire()).isNull();
        assertThat(waits.get()).isNotNull();
        assertThat(freeIn(permits)).isZero();
    }

    @Test
    void waitEndsWithItsTimeAndLeavesTheQueue() throws Exception {
        LoadPermits permits = permits(1);
        Permit held = taken(permits.acquire(0, ALONE));
        Future<Permit> waits = threads.submit(() -> permits.acquire(SECOND, ALONE));
        time.awaitWaiting(1);

        time.advance(Duration.ofSeconds(1));

        assertThat(waits.get()).isNull();
        held.release();
        assertThat(freeIn(permits)).as("nothing was handed to who had gone").isEqualTo(1);
    }

    @Test
    void interruptEndsTheWaitAndLeavesTheQueue() throws Exception {
        LoadPermits permits = permits(1);
        Permit held = taken(permits.acquire(0, ALONE));
        Waiter waiter = new Waiter(permits);
        waiter.start();
        time.awaitWaiting(1);

        waiter.interrupt();
        waiter.join();

        assertThat(waiter.ended).isEqualTo("interrupted");
        held.release();
        assertThat(freeIn(permits)).isEqualTo(1);
    }

    @Test
    void waitThatEndsWithAnErrorLeavesTheQueue() throws Exception {
        OutOfMemoryError error = new OutOfMemoryError("thrown by the test");
        LoadPermits permits = permits(1, new FailingTime(error));
        Permit held = taken(permits.acquire(0, ALONE));

        assertThatThrownBy(() -> permits.acquire(SECOND, ALONE)).isSameAs(error);

        held.release();
        assertThat(freeIn(permits)).as("nothing was handed to who had gone").isEqualTo(1);
    }

    private record FailingTime(Error error) implements StillTime {
        @Override
        public boolean await(CountDownLatch latch, long nanos) {
            throw error;
        }

        @Override
        public Timer schedule(long nanos, Runnable task) {
            throw error;
        }
    }

    @Test
    void interruptDuringAHandoverNeitherLosesNorMakesAPermit() throws Exception {
        int[] ends = race(100, Thread::interrupt);

        assertThat(ends[0] + ends[1]).isEqualTo(100);
    }

    @Test
    void timeoutDuringAHandoverNeitherLosesNorMakesAPermit() throws Exception {
        int[] ends = race(100, waiter -> time.advance(Duration.ofSeconds(2)));

        assertThat(ends[0] + ends[2]).isEqualTo(100);
    }

    @Test
    @Tag("proof")
    void noneOfManyRacesLosesOrMakesAPermit() throws Exception {
        assertThat(race(2_000, Thread::interrupt)[2]).isZero();
        assertThat(race(2_000, waiter -> time.advance(Duration.ofSeconds(2)))[1])
                .isZero();
    }

    private interface Disturbance {
        void of(Thread waiter);
    }

    /**
     * Releases and interrupts at the same time, many times; counts callers that got a permit, were interrupted, or
     * timed out.
     */
    private int[] race(int rounds, Disturbance disturbance) throws Exception {
        int[] ends = new int[3];
        for (int round = 0; round < rounds; round++) {
            LoadPermits permits = permits(1);
            Permit held = taken(permits.acquire(0, ALONE));
            Waiter waiter = new Waiter(permits);
            waiter.start();
            time.awaitWaiting(1);
            CyclicBarrier start = new CyclicBarrier(2);
            Future<?> releases = threads.submit(() -> {
                start.await();
                held.release();
                return null;
            });
            start.await();
            disturbance.of(waiter);
            releases.get();
            waiter.join();
            ends[List.of("got", "interrupted", "timed out").indexOf(waiter.ended)]++;
            if (waiter.permit != null) {
                waiter.permit.release();
            }
            assertThat(freeIn(permits)).as("round %d, %s", round, waiter.ended).isEqualTo(1);
        }
        return ends;
    }

    private static int freeIn(LoadPermits permits) {
        int free = 0;
        while (permits.tryAcquire() != null) {
            free++;
        }
        return free;
    }

    private static final class Waiter extends Thread {
        private final LoadPermits permits;
        volatile String ended = "";
        volatile @Nullable Permit permit;

        Waiter(LoadPermits permits) {
            this.permits = permits;
        }

        @Override
        public void run() {
            try {
                permit = permits.acquire(SECOND, ALONE);
                ended = permit != null ? "got" : "timed out";
            } catch (InterruptedException e) {
                ended = "interrupted";
            }
        }
    }
}
