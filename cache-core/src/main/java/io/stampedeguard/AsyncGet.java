package io.stampedeguard;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.flight.Flight;
import io.stampedeguard.flight.Seat;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.time.TimeSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One call of {@code getAsync} that goes beyond the near cache; the steps are those of {@link ReadPath}, taken on {@link
 * AsyncThreads}:
 *
 * <ol>
 *   <li>a thread reads the store; a value is the answer;
 *   <li>else, if the key has a flight, the call waits for it, <em>without a thread</em>: it is told when the flight lands;
 *   <li>if it has none, a thread that may be held begins one and leads it to its end. The flight begins on that thread and not
 *       before: one whose leader queues for a thread would hold up callers that have threads of their own;
 *   <li>who is told of a landing is answered, or begins again.
 * </ol>
 *
 * <p>A timer ends all this after the {@code waitTimeout}, wherever the call stands, unless it leads. The future can end at any
 * time, by its owner's hand: then the call takes no further step, but leads to the end what it leads. <em>Thread-safe.</em>
 */
final class AsyncGet<K, V> {
    private final K key;
    private final String storeKey;
    private final Loader<K, V> loader;
    private final boolean recursive;
    private final Copies<V> copies;
    private final Deadline deadline;
    private final AsyncThreads threads;
    private final TimeSource time;
    private final CacheEvents events;
    private final ReadParts<K, V> parts;
    private final CompletableFuture<@Nullable V> future = new CompletableFuture<>();
    private final AtomicBoolean settled = new AtomicBoolean();
    private volatile boolean leads;
    private volatile @Nullable Wait waitsFor;

    /** A wait for a flight, which ends once. */
    private final class Wait {
        private final AtomicBoolean over = new AtomicBoolean();
        private final Look<K, V> look;
        private final Seat<Outcome<V>> seat;
        private final long beganNanos = time.monotonicNanos();

        private Wait(Look<K, V> look, Seat<Outcome<V>> seat) {
            this.look = look;
            this.seat = seat;
        }
    }

    AsyncGet(K key, String storeKey, Loader<K, V> loader, CacheParts<K, V> cacheParts, ReadParts<K, V> parts) {
        this.key = key;
        this.storeKey = storeKey;
        this.loader = loader;
        this.recursive = cacheParts.nesting().isLoading(storeKey);
        this.time = cacheParts.time();
        this.events = cacheParts.events();
        this.copies = cacheParts.copies();
        this.deadline = Deadline.in(cacheParts.policy().waitTimeout(), time);
        this.threads = cacheParts.asyncThreads();
        this.parts = parts;
    }

    /** Begins; the end is told of when the future is done, whoever did that. */
    @SuppressWarnings("FutureReturnValueIgnored") // the action does not throw
    CompletableFuture<@Nullable V> begin(Runnable end) {
        TimeSource.Timer timer = time.schedule(deadline.remainingNanos(), this::timeIsUp);
        future.whenComplete((value, failure) -> {
            timer.stop();
            waitNoMore(waitsFor);
            end.run();
        });
        attempt(null, this::look);
        return future;
    }

    /** Ends the future, if it is not done. */
    void fail(Throwable failure) {
        if (settled.compareAndSet(false, true)
                && future.completeExceptionally(failure)
                && (failure instanceof CacheException || failure instanceof Error)) {
            events.answer(AnswerSource.FAILED);
        }
    }

    private void answer(Outcome<V> outcome) {
        answer(outcome.get(storeKey), () -> events.answer(outcome.source()));
    }

    /** Told first: who waits for the future may look at what was told. It ends whatever a listener throws. */
    private void answer(@Nullable V value, Runnable told) {
        if (isMineToSettle()) {
            try {
                told.run();
            } finally {
                future.complete(copies.of(value));
            }
        }
    }

    /** One answer is told, whichever of a value and a failure comes first. */
    private boolean isMineToSettle() {
        return !future.isDone() && settled.compareAndSet(false, true);
    }

    /** Has the store read, and goes on from there. */
    private void look() {
        try {
            threads.read(this::read, this::looked);
        } catch (RuntimeException e) {
            throw Failures.rejectedByAsyncExecutor(storeKey, e);
        }
    }

    /** Does not throw; {@code null} if nobody waits for an answer any more. */
    private @Nullable Look<K, V> read() {
        AtomicReference<@Nullable Look<K, V>> look = new AtomicReference<>();
        if (!future.isDone()) {
            attempt(null, () -> look.set(parts.reads().look(key, storeKey, deadline.remaining())));
        }
        return look.get();
    }

    private void looked(@Nullable Look<K, V> look) {
        if (look != null) {
            attempt(look, () -> goOn(look));
        }
    }

    private void goOn(Look<K, V> look) {
        Stored<V> stored = look.stored();
        if (stored != null) {
            if (stored.isDue()) {
                parts.refresh().offer(look, loader);
            }
            answer(stored.value(), () -> events.answer(stored));
            return;
        }
        Outcome<V> recent = look.isAside() ? parts.standIns().recent(key) : null;
        if (recent != null) {
            answer(recent);
            return;
        }
        if (recursive) {
            throw Nesting.recursion(storeKey);
        }
        Seat<Outcome<V>> seat = parts.flights().follow(storeKey);
        if (seat == null) {
            lead(() -> attempt(look, () -> fly(look)));
        } else {
            follow(look, seat);
        }
    }

    private void fly(Look<K, V> look) {
        if (future.isDone()) {
            return;
        }
        parts.flights().joinAll(List.of(look), Look::storeKey, seats -> {
            Seat<Outcome<V>> seat = seats.get(0);
            if (seat.leads()) {
                leads = true;
                settle(look, lead(look, seat.flight()));
            } else {
                follow(look, seat);
            }
            return null;
        });
    }

    private Outcome<V> lead(Look<K, V> look, Flight<Outcome<V>> flight) {
        Led led = new Led();
        parts.leaderLoad()
                .of(LoadFunction.ofEach(loader), deadline, led)
                .lead(List.of(KeyLoad.forCaller(look, flight)));
        return led.outcome();
    }

    /** What a flight that this call leads has brought. */
    private final class Led implements Answers<K, V> {
        private @Nullable Outcome<V> outcome;
        private @Nullable CacheException failure;

        @Override
        public void outcome(Look<K, V> look, Outcome<V> brought) {
            outcome = brought;
        }

        @Override
        public void failure(Look<K, V> look, CacheException why) {
            failure = why;
        }

        Outcome<V> outcome() {
            if (failure != null) {
                throw failure;
            }
            return requireNonNull(outcome);
        }
    }

    private void follow(Look<K, V> look, Seat<Outcome<V>> seat) {
        Wait begun = new Wait(look, seat);
        parts.following().begins(look);
        events.waits();
        waitsFor = begun;
        if (future.isDone()) { // its owner ended it before there was a wait to be ended
            waitNoMore(begun);
        } else if (!seat.whenLanded(() -> end(begun))) {
            end(begun);
        }
    }

    /** Nobody waits any more, if somebody still did. */
    private void waitNoMore(@Nullable Wait wait) {
        if (wait != null && wait.over.compareAndSet(false, true)) {
            events.waitsNoMore();
            wait.seat.alight();
        }
    }

    private void end(Wait ended) {
        if (!ended.over.compareAndSet(false, true)) {
            return;
        }
        events.waitsNoMore();
        if (!future.isDone()) {
            attempt(
                    ended.look,
                    () -> settle(
                            ended.look, parts.following().over(ended.look, ended.seat, deadline, ended.beganNanos)));
        }
    }

    private void settle(Look<K, V> look, @Nullable Outcome<V> brought) {
        Outcome<V> outcome = look.storeAnswers() ? brought : parts.standIns().insteadOf(brought, key);
        if (outcome == null) {
            again();
        } else {
            answer(outcome);
        }
    }

    private void again() {
        waitsFor = null;
        if (deadline.isOver()) { // the timer may have found the wait that has just ended, and left it to us
            throw Failures.waitTimeout(storeKey);
        }
        look();
    }

    /** On the thread of the timers: what is to be done is done elsewhere. */
    private void timeIsUp() {
        if (!leads) {
            threads.tellLate(this::endLate);
        }
    }

    private void endLate() {
        Wait last = waitsFor;
        if (last != null) {
            end(last);
        } else if (!leads) {
            fail(Failures.noThread(storeKey));
        }
    }

    private void lead(Runnable task) {
        try {
            threads.lead(task);
        } catch (RuntimeException e) {
            throw Failures.rejectedByAsyncExecutor(storeKey, e);
        }
    }

    /** Takes a step; what it throws is the future's, unless a copy can stand in for what the store did not tell. */
    @SuppressWarnings("CatchingUnchecked") // foreign code
    private void attempt(@Nullable Look<K, V> look, Runnable step) {
        try {
            step.run();
        } catch (OriginBusyException | WaitTimeoutException e) {
            Outcome<V> copy = look == null || look.storeAnswers()
                    ? null
                    : parts.standIns().lastResort(key);
            if (copy == null) {
                fail(e);
            } else {
                answer(copy);
            }
        } catch (Throwable e) {
            fail(e);
        }
    }
}
