package io.stampedeguard.redis.internal.connect;

import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.NoSuchElementException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The bound on concurrent calls over the connections to a single server:
 *
 * <ol>
 *   <li>callers wait in the order in which they came, each for as long as its {@link Turn} allows. A wait without success is no
 *       evidence about the server, and is not reported as such;
 *   <li>renewing, publishing, and giving back do not wait behind reads: for lease holders there are {@link SpareConnections};
 *   <li>while the {@link ServerBreaker} of the server is open, calls fail at once, except for the few that are sent regardless. It
 *       is asked again after the wait: a stalled server costs each caller one timeout, and not one more for each caller in front
 *       of it;
 *   <li>if others use the same pool, an admitted call can still find it exhausted: see {@link Turn}.
 * </ol>
 *
 * <p>The connections of a cluster are not counted here: each master has its own pool. <em>Thread-safe.</em>
 */
public final class ConnectionPermits {
    private final Semaphore free;
    private final TimeSource time;
    private final @Nullable ServerBreaker breaker;
    private final int connections;

    /** Creates permits for a number of connections, negative for no bound; {@code breaker} may be {@code null} for none. */
    public ConnectionPermits(int connections, @Nullable ServerBreaker breaker, TimeSource time) {
        this.connections = connections;
        this.breaker = breaker;
        this.time = time;
        this.free = new Semaphore(connections < 0 ? Integer.MAX_VALUE : connections, true);
    }

    /** Makes a call when it is its turn. It retries for the rest of its turn if the pool is exhausted. */
    public <T extends @Nullable Object> T admit(Turn turn, Supplier<T> call) {
        turn.begin(time);
        check(turn);
        boolean hasWaited = enter(turn);
        try {
            if (hasWaited) {
                check(turn);
            }
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
            free.release();
        }
    }

    /** Takes a permit for the next call of a turn, unless it would have to be waited for; returns whether it has taken one. */
    public boolean tryToReserve(Turn turn) {
        turn.hasPermit = isAnyFree() && free.tryAcquire();
        return turn.hasPermit;
    }

    /** Gives back a permit that was taken for a call that was not made. */
    public void endReservation(Turn turn) {
        if (turn.takePermit()) {
            free.release();
        }
    }

    /** Throws {@link ServerBreaker.Open} if the call is not to be made now. */
    public void check(Turn turn) {
        if (breaker != null && !turn.isRegardless) {
            breaker.check(turn);
        }
    }

    private void answered(Turn turn) {
        if (breaker != null) {
            breaker.answered(turn.sentNanos());
        }
    }

    /** Notes the failure of a call; a refusal is an answer. */
    private void failed(Turn turn, RuntimeException failure) {
        if (failure instanceof JedisDataException) {
            answered(turn);
        } else if (breaker != null) {
            breaker.failed(turn.sentNanos(), failure);
        }
    }

    /**
     * Takes a permit, and returns whether it had to be waited for. An interrupt ends a wait, and nothing else: an interrupted lease
     * holder is to give its lease back.
     */
    private boolean enter(Turn turn) {
        if (turn.takePermit() || (isAnyFree() && free.tryAcquire())) {
            return false;
        }
        try {
            if (!free.tryAcquire(turn.leftNanos(time), TimeUnit.NANOSECONDS)) {
                throw new JedisException(new NoSuchElementException("no connection became free"));
            }
            return true;
        } catch (InterruptedException e) {
            throw new JedisException(e);
        }
    }

    public int waiting() {
        return free.getQueueLength();
    }

    /** Returns whether a call would be admitted without a wait. */
    public boolean isAnyFree() {
        return !free.hasQueuedThreads() && free.availablePermits() > 0;
    }

    /** Returns how many connections are in use, empty if they are not counted. */
    @Override
    public String toString() {
        return connections < 0
                ? ""
                : "; calls in progress: %d of %d, waiting: %d"
                        .formatted(connections - free.availablePermits(), connections, waiting());
    }

    /**
     * The wait of one call for a connection: how long it may last, and when it ended. A pool that others use as well reports by
     * itself, sooner or later, that all its connections are in use. The call then retries after a pause. For one call of one
     * thread.
     */
    public static final class Turn {
        private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
        private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(32);

        /** How long a command waits at most for a slot to move: that takes milliseconds, unless it has very many keys. */
        public static final long SLOT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

        private final boolean holdsLease;
        private final Duration patience;
        private boolean isRegardless;
        private boolean isOnce;
        private boolean isBegun;
        private boolean isRepeated;
        private boolean isShared;
        private boolean hasPermit;
        private long patienceNanos;
        private long untilNanos;
        private long sentNanos = Long.MIN_VALUE;
        private long doubtedNanos;
        private long slotNanos = SLOT_NANOS;
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
         * Creates the turn of a caller that renews, publishes under, or gives back a lease, for which connections are kept.
         */
        public static Turn ofLeaseHolder(Duration patience) {
            return new Turn(true, patience);
        }

        /** Lets the call be sent even while the circuit breaker is open; returns this turn. */
        public Turn regardless() {
            isRegardless = true;
            return this;
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

        private boolean takePermit() {
            boolean has = hasPermit;
            hasPermit = false;
            return has;
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

        /** Sets whether other callers wait for what is sent: they have a patience of their own, so it is not retried meanwhile. */
        public void share(boolean shared) {
            isShared = shared;
        }

        /** Pauses before the retry of a command that was not sent for lack of a connection; returns whether to retry it. */
        public boolean pauseBeforeRetry(RuntimeException failure, TimeSource time) {
            return !isShared
                    && RedisFailure.isShortage(failure)
                    && leftNanos(time) > 0
                    && pause(Math.min(pauseNanos, leftNanos(time)), time);
        }

        /**
         * Pauses before the retry of a command that a cluster has refused, since it is moving the slot from one member to another: a
         * script needs value and lease, of which usually only one exists, and until the end of the move, neither member runs it.
         * Returns whether to retry it: not after a different answer, and not if the thread is interrupted.
         */
        public boolean pauseWhileSlotMoves(RuntimeException failure, TimeSource time) {
            if (!RedisFailure.isOfMovingSlot(failure) || slotNanos <= 0) {
                return false;
            }
            slotNanos -= pauseNanos;
            return pause(pauseNanos, time);
        }

        private boolean pause(long nanos, TimeSource time) {
            try {
                time.await(new CountDownLatch(1), nanos);
                pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
                return true;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }
}
