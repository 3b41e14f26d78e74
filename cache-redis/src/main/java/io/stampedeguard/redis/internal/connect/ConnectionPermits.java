package io.stampedeguard.redis.internal.connect;

import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The bound on concurrent calls over the connections to a single server:
 *
 * <ol>
 *   <li>a call waits in a {@link ConnectionQueue} for as long as its {@link Turn} allows. A wait without success is no evidence
 *       about the server, and is not reported as such;
 *   <li>the next free connection goes to lease holders, for which there are also {@link SpareConnections}: renewing, publishing,
 *       and giving back never wait behind reads;
 *   <li>a call that waited while the server answered no other call fails with the failure of the call before it. So a stalled
 *       server costs each caller one timeout, and not one more for each caller in front of it;
 *   <li>if others use the same pool, an admitted call can still find it exhausted: see {@link Turn};
 *   <li>while the {@link ServerBreaker} of the server is open, calls fail at once, except for the few that are sent regardless.
 * </ol>
 *
 * <p>The connections of a cluster are not counted here: each master has its own pool. <em>Thread-safe.</em>
 */
public final class ConnectionPermits {
    private final ServerState state = new ServerState();
    private final ConnectionQueue queue;
    private final TimeSource time;
    private final @Nullable ServerBreaker breaker;
    private final int connections;

    /** Creates permits for a number of connections, negative for no bound; {@code breaker} may be {@code null} for none. */
    ConnectionPermits(int connections, @Nullable ServerBreaker breaker, TimeSource time) {
        this.connections = connections;
        this.breaker = breaker;
        this.time = time;
        this.queue = new ConnectionQueue(connections < 0 ? Integer.MAX_VALUE : connections, time);
    }

    /** Makes a call when it is its turn. It retries for the rest of its turn if the pool is exhausted. */
    public <T> T admit(Turn turn, Supplier<T> call) {
        turn.begin(time);
        check(turn);
        enter(turn);
        try {
            check(turn);
            turn.sending(time);
            T answer = call.get();
            answered(turn);
            return answer;
        } catch (RuntimeException failure) {
            failed(turn, failure);
            throw failure;
        } catch (Error thrown) {
            RuntimeException failure = RedisFailure.ofUserCode(thrown);
            failed(turn, failure);
            throw failure;
        } finally {
            queue.leave();
        }
    }

    /** Throws {@link ServerBreaker.Open} if the call is not to be made now. */
    public void check(Turn turn) {
        if (breaker != null && !turn.isRegardless()) {
            breaker.check(turn);
        }
    }

    private void answered(Turn turn) {
        state.answered();
        if (breaker != null) {
            breaker.answered(turn.sentNanos());
        }
    }

    /** Notes the failure of a call; a refusal is an answer. */
    private void failed(Turn turn, RuntimeException failure) {
        if (failure instanceof JedisDataException) {
            answered(turn);
        } else {
            state.failed(failure);
            if (breaker != null) {
                breaker.failed(turn.sentNanos(), failure);
            }
        }
    }

    private void enter(Turn turn) {
        if (queue.tryEnter(turn.holdsLease())) {
            return;
        }
        ServerState.Moment began = state.now();
        waitInQueue(turn);
        RuntimeException silence = began.silenceSince();
        if (silence != null) {
            queue.leave();
            throw new JedisConnectionException("the server has answered no call since this one began to wait", silence);
        }
    }

    private void waitInQueue(Turn turn) {
        try {
            if (!queue.enter(turn.holdsLease(), turn.leftNanos(time))) {
                throw new JedisException(new NoSuchElementException("no connection became free"));
            }
        } catch (InterruptedException e) {
            throw new JedisException(e);
        }
    }

    public int waiting() {
        return queue.waiting();
    }

    /** Returns whether a call would be admitted without a wait. */
    public boolean isAnyFree() {
        return queue.free() > 0;
    }

    /** Returns the known state of the server and of the connections to it. */
    @Override
    public String toString() {
        return connections < 0
                ? state.toString()
                : "%s; calls in progress: %d of %d, waiting: %d"
                        .formatted(state, connections - queue.free(), connections, waiting());
    }

    /** Whether a server answers, according to completed calls. <em>Thread-safe.</em> */
    private static final class ServerState {
        private final LongAdder answers = new LongAdder();
        private volatile @Nullable Silence last;

        /** A call without an answer. Each is equal only to itself. */
        private static final class Silence {
            private final RuntimeException failure;
            private final long answersBefore;

            Silence(RuntimeException failure, long answersBefore) {
                this.failure = failure;
                this.answersBefore = answersBefore;
            }
        }

        /** A moment for comparison with a later one. */
        final class Moment {
            private final long answersBefore = answers.sum();
            private final @Nullable Silence lastBefore = last;

            /**
             * Returns the failure of the last call since then; {@code null} for none, or if the server has answered another call.
             */
            @Nullable
            RuntimeException silenceSince() {
                Silence now = last;
                return now == null || now == lastBefore || answers.sum() != answersBefore ? null : now.failure;
            }
        }

        Moment now() {
            return new Moment();
        }

        void answered() {
            answers.increment();
        }

        /** Notes the failure of a call that was not a refusal. */
        void failed(RuntimeException failure) {
            if (failure instanceof JedisConnectionException && RedisFailure.isOfServer(failure)) {
                last = new Silence(failure, answers.sum());
            }
        }

        @Override
        public String toString() {
            Silence silence = last;
            if (silence != null && silence.answersBefore == answers.sum()) {
                return "does not answer: " + RedisFailure.reason(silence.failure);
            }
            return answers.sum() == 0 ? "not contacted yet" : "answers";
        }
    }

    /**
     * The queue of callers for a number of connections:
     *
     * <ol>
     *   <li>lease holders come first: they get the next free connection;
     *   <li>another caller that finds a free connection takes it even if others wait, as long as the first of them has waited for
     *       less than 10 ms: a running thread uses the connection at once, while a waiting one must be woken first;
     *   <li>otherwise callers queue, and are admitted first come, first served.
     * </ol>
     *
     * <p>So a short queue costs little, and no caller starves in a long one. A caller that returns a connection, or leaves the
     * queue, wakes the first in the queue if a connection is free; only the first takes one. <em>Thread-safe.</em> Admission
     * takes no lock, and waiting virtual threads are not pinned.
     */
    static final class ConnectionQueue {
        static final long PASSING_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

        private final Queue<Waiting> leaseHolders = new ConcurrentLinkedQueue<>();
        private final Queue<Waiting> others = new ConcurrentLinkedQueue<>();
        private final AtomicInteger free;
        private final TimeSource time;

        /** A waiting caller. Each is equal only to itself. */
        private static final class Waiting {
            private final Semaphore wakeUps = new Semaphore(0);
            private final long sinceNanos;

            Waiting(long sinceNanos) {
                this.sinceNanos = sinceNanos;
            }
        }

        ConnectionQueue(int connections, TimeSource time) {
            this.free = new AtomicInteger(connections);
            this.time = time;
        }

        /** Admits a caller if that is possible at once; an admitted caller must {@link #leave}. */
        boolean tryEnter(boolean holdsLease) {
            return mayPass(holdsLease) && take();
        }

        /**
         * Returns whether a caller may pass waiting ones: lease holders wait for no others, and others never pass a lease holder.
         */
        boolean mayPass(boolean holdsLease) {
            Waiting first = holdsLease ? leaseHolders.peek() : first();
            if (first == null) {
                return true;
            }
            boolean isBehindLeaseHolders = !holdsLease && !leaseHolders.isEmpty();
            return !isBehindLeaseHolders && time.monotonicNanos() - first.sinceNanos < PASSING_NANOS;
        }

        /** Lets a caller wait in the queue, and returns whether it was admitted in time; then it must {@link #leave}. */
        boolean enter(boolean holdsLease, long patienceNanos) throws InterruptedException {
            Queue<Waiting> queue = holdsLease ? leaseHolders : others;
            Waiting caller = new Waiting(time.monotonicNanos());
            queue.add(caller);
            try {
                long left = patienceNanos;
                while (!(first() == caller && take())) {
                    if (left <= 0) {
                        return false;
                    }
                    boolean woken = caller.wakeUps.tryAcquire(left, TimeUnit.NANOSECONDS);
                    left = woken ? patienceNanos - (time.monotonicNanos() - caller.sinceNanos) : 0;
                }
                return true;
            } finally {
                queue.remove(caller);
                wakeFirst();
            }
        }

        void leave() {
            free.incrementAndGet();
            wakeFirst();
        }

        private boolean take() {
            int present = free.get();
            while (present > 0) {
                if (free.compareAndSet(present, present - 1)) {
                    return true;
                }
                present = free.get();
            }
            return false;
        }

        /** To be called after a connection became free, or the first changed: each caller checks again after it was queued. */
        private void wakeFirst() {
            Waiting first = first();
            if (first != null && free.get() > 0) {
                first.wakeUps.release();
            }
        }

        private @Nullable Waiting first() {
            Waiting leaseHolder = leaseHolders.peek();
            return leaseHolder == null ? others.peek() : leaseHolder;
        }

        int free() {
            return free.get();
        }

        int waiting() {
            return leaseHolders.size() + others.size();
        }
    }

    /**
     * The wait of one call for a connection: how long it may last, and when it ended. A pool that others use as well reports by
     * itself, sooner or later, that all its connections are in use. The call then retries after a pause. For one call of one
     * thread.
     */
    public static final class Turn {
        private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
        private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(16);

        private final boolean holdsLease;
        private final Duration patience;
        private boolean isRegardless;
        private boolean isOnce;
        private boolean isBegun;
        private boolean isRepeated;
        private long patienceNanos;
        private long untilNanos;
        private long sentNanos = Long.MIN_VALUE;
        private long doubtedNanos;
        private long pauseNanos = FIRST_PAUSE_NANOS;

        private Turn(boolean holdsLease, Duration patience) {
            this.holdsLease = holdsLease;
            this.patience = patience;
        }

        /** Creates the turn of a caller that holds no lease, and waits for so long at most. */
        public static Turn of(Duration patience) {
            return new Turn(false, patience);
        }

        /**
         * Creates the turn of a caller that renews, publishes under, or gives back a lease. It waits for other lease holders
         * only.
         */
        public static Turn ofLeaseHolder(Duration patience) {
            return new Turn(true, patience);
        }

        /** Lets the call be sent even while the circuit breaker is open; returns this turn. */
        public Turn regardless() {
            isRegardless = true;
            return this;
        }

        boolean isRegardless() {
            return isRegardless;
        }

        /** Lets no command be sent again that may have arrived; returns this turn. */
        public Turn once() {
            isOnce = true;
            return this;
        }

        public boolean isOnce() {
            return isOnce;
        }

        public boolean holdsLease() {
            return holdsLease;
        }

        /** Lets the patience begin now, unless it has begun. */
        public void begin(TimeSource time) {
            if (!isBegun) {
                isBegun = true;
                patienceNanos = patience.toNanos();
                untilNanos = time.monotonicNanos() + patienceNanos;
            }
        }

        /** Returns the whole patience, which has begun. */
        public long patienceNanos() {
            return patienceNanos;
        }

        /** Returns how much of the patience is left; not positive if it has ended. */
        public long leftNanos(TimeSource time) {
            return leftNanos(time.monotonicNanos());
        }

        /** Returns how much of the patience is left at a (monotonic) time. */
        public long leftNanos(long nowNanos) {
            return untilNanos - nowNanos;
        }

        /** Returns how long the call has waited for the verdict of the circuit breaker. */
        long doubtedNanos() {
            return doubtedNanos;
        }

        void doubted(long nanos) {
            doubtedNanos += nanos;
        }

        /**
         * Notes that a command is sent again, whose connection broke: the server may still receive the one before. Returns false if
         * that must not be.
         */
        public boolean tryToRepeat() {
            isRepeated |= !isOnce;
            return !isOnce;
        }

        /** Returns whether a command was sent again. */
        public boolean isRepeated() {
            return isRepeated;
        }

        /** Notes that the wait is over, and a command is sent. */
        public void sending(TimeSource time) {
            sentNanos = time.monotonicNanos();
        }

        /** Notes that what another turn has sent contained the command of this one. */
        public void sentWith(Turn other) {
            sentNanos = other.sentNanos;
        }

        /** Returns the (monotonic) time at which the wait ended, {@link Long#MIN_VALUE} if nothing was sent. */
        public long sentNanos() {
            return sentNanos;
        }

        /** Pauses before the retry of a command that was not sent for lack of a connection; returns whether to retry it. */
        public boolean pauseBeforeRetry(RuntimeException failure, TimeSource time) {
            return RedisFailure.isShortage(failure) && leftNanos(time) > 0 && pause(time);
        }

        private boolean pause(TimeSource time) {
            try {
                time.await(new CountDownLatch(1), Math.min(pauseNanos, leftNanos(time)));
                pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
                return true;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }
}
