package io.stampedeguard.internal.call;

import io.stampedeguard.internal.call.LoadPermits.Permit;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.time.TimeSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One call of a loader, which ends once: it returns, it throws, or it is cut off before. Cutting it off interrupts its thread and
 * discards its result. The call holds its permit until it returns, unless it is found to be stuck. <em>Thread-safe</em>; the lock
 * guards all fields that change, and an interrupt is sent under it, so it never hits its next task.
 */
final class LoaderCall<V> implements Runnable {
    /** What is called. */
    @FunctionalInterface
    interface Body<V> {
        List<LoadedValue<V>> call() throws Exception;
    }

    private enum State {
        RUNNING,
        ENDED,
        CUT_OFF,
        STUCK
    }

    /**
     * How a call ended that was not cut off: the loader's result or failure, and how long it ran. {@code interrupted} if it
     * failed because its thread was interrupted, which proves nothing about the origin.
     */
    record Run<V>(
            @Nullable List<LoadedValue<V>> result, @Nullable Throwable failure, boolean interrupted, long nanos) {
        static <V> Run<V> returned(List<LoadedValue<V>> result, long nanos) {
            return new Run<>(result, null, false, nanos);
        }

        /** To be called on the thread of the loader: drivers wrap an interrupt, and set the flag again. */
        static <V> Run<V> failed(Throwable failure, long nanos) {
            boolean interrupted = Thread.currentThread().isInterrupted() || Thrown.isInterrupt(failure);
            return new Run<>(null, failure, interrupted, nanos);
        }
    }

    private static final long NEVER = -1;

    private final ReentrantLock lock = new ReentrantLock();
    private final CountDownLatch over = new CountDownLatch(1);
    private final Body<V> loader;
    private final Permit permit;
    private final LoadPermits permits;
    private final OriginGuard.Call guarded;
    private final TimeSource time;
    private State state = State.RUNNING;
    private @Nullable Thread thread;
    private @Nullable Thread handsOver;
    private boolean isHandoverLate;
    private boolean runsWhereHandedOver;
    private boolean isInterrupted; // the thread that hands over, when the loader has returned on it
    private long beganNanos;
    private long ranNanos = NEVER;
    private volatile @Nullable Run<V> ended;

    /** Creates a call, and takes the permit over. */
    LoaderCall(Body<V> loader, Permit permit, LoadPermits permits, OriginGuard.Call guarded, TimeSource time) {
        this.loader = loader;
        this.permits = permits;
        this.guarded = guarded;
        this.time = time;
        this.permit = permit.handOver(); // last: without memory for another field, the permit would never be released
    }

    /** Calls the loader on this thread, unless another thread has begun to, or the call was cut off before. */
    @Override
    @SuppressWarnings("CatchingUnchecked") // user code; all waiting callers receive what it throws
    public void run() {
        boolean isMine = true; // unless it is known not to be
        try {
            isMine = begin();
            if (isMine) {
                Run<V> run;
                try {
                    List<LoadedValue<V>> result = loader.call();
                    run = Run.returned(result, time.monotonicNanos() - beganNanos);
                } catch (Throwable e) {
                    run = Run.failed(e, time.monotonicNanos() - beganNanos);
                }
                end(run);
            }
        } finally {
            if (isMine) {
                permit.release();
            }
        }
    }

    /** Notes that this thread is about to hand the call over to an executor. */
    void beginHandover() {
        lock.lock();
        try {
            handsOver = Thread.currentThread();
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts the thread that hands the call over, if the executor still blocks it: the loader does not run on that thread. */
    void interruptHandover() {
        lock.lock();
        try {
            if (handsOver != null && !runsWhereHandedOver) {
                isHandoverLate = true;
                handsOver.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Notes that the executor has returned or thrown; returns whether this thread was interrupted therefore. */
    boolean endHandover() {
        lock.lock();
        try {
            forgetInterruptOfHandover();
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
            handsOver = null;
            return isHandoverLate;
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("ReferenceEquality") // threads are compared by identity
    private void forgetInterruptOfHandover() {
        if (isHandoverLate && handsOver == Thread.currentThread()) {
            Thread.interrupted();
        }
    }

    /** Opens when the call has ended or was cut off. */
    CountDownLatch over() {
        return over;
    }

    /** Returns how it ended; {@code null} if it has not, or was cut off. */
    @Nullable
    Run<V> ended() {
        return ended;
    }

    /** Otherwise identical to {@link #cutOff(Runnable)}, if no other thread has seen this call, or nothing depends on its end. */
    boolean cutOff() {
        return cutOff(() -> {});
    }

    /**
     * Cuts the call off; false if it is over. Before any other thread learns that it is over, and may therefore close the cache, the
     * release of its leases is requested; {@code release} must not block.
     */
    boolean cutOff(Runnable release) {
        lock.lock();
        try {
            if (state != State.RUNNING) {
                return false;
            }
            state = State.CUT_OFF;
            if (thread == null) {
                permit.release(); // it has not begun, and never will
            } else {
                ranNanos = time.monotonicNanos() - beganNanos;
                guarded.end(false, ranNanos);
                thread.interrupt();
            }
            release.run();
            return true;
        } finally {
            boolean isOver = state != State.RUNNING;
            lock.unlock();
            if (isOver) {
                over.countDown(); // also after an Error
            }
        }
    }

    /** Returns how long the loader had run when the call was cut off; negative if it was not called. */
    long ranNanos() {
        lock.lock();
        try {
            return ranNanos;
        } finally {
            lock.unlock();
        }
    }

    /** To be called some time after the call was cut off: if the loader still runs, it has ignored its interrupt. */
    void countIfStuck() {
        lock.lock();
        try {
            if (state == State.CUT_OFF && thread != null) {
                state = State.STUCK;
                if (permits.stuckBegins()) {
                    permit.release();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("ReferenceEquality") // threads are compared by identity
    private boolean begin() {
        lock.lock();
        try {
            if (state != State.RUNNING || thread != null) {
                return false;
            }
            beganNanos = time.monotonicNanos();
            guarded.begin(beganNanos);
            forgetInterruptOfHandover(); // the executor may run the call on the thread that it has blocked before
            thread = Thread.currentThread();
            runsWhereHandedOver = thread == handsOver;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void end(Run<V> run) {
        lock.lock();
        try {
            thread = null;
            if (state == State.RUNNING) {
                state = State.ENDED;
                guarded.end(run.failure() == null, run.nanos());
                ended = run;
                if (run.interrupted()) {
                    Thread.currentThread().interrupt(); // this thread's, which need not be the caller's
                }
                isInterrupted = runsWhereHandedOver && Thread.currentThread().isInterrupted();
                over.countDown();
                return;
            }
            Thread.interrupted(); // it was meant for the loader
            if (state == State.STUCK) {
                permits.stuckEnds();
            }
        } finally {
            lock.unlock();
        }
    }
}
