package io.stampedeguard.internal.call;

import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One call of the loader, over.
 *
 * @param result what the loader returned
 * @param failure what the loader threw
 * @param interrupted whether it failed since its thread was interrupted: this tells nothing of the origin
 * @param nanos how long it ran
 */
public record LoadRun<R>(@Nullable R result, @Nullable Throwable failure, boolean interrupted, long nanos) {
    private static final int DEEPEST_CAUSE = 20;

    static <R> LoadRun<R> returned(R result, long nanos) {
        return new LoadRun<>(result, null, false, nanos);
    }

    /** To be called on the thread of the loader: drivers wrap an interrupt, and set the flag again. */
    static <R> LoadRun<R> failed(Throwable failure, long nanos) {
        boolean interrupted = Thread.currentThread().isInterrupted() || isInterrupt(failure);
        return new LoadRun<>(null, failure, interrupted, nanos);
    }

    /** What another thread was interrupted in is none of this thread's interrupts. */
    private static boolean isInterrupt(Throwable failure) {
        Throwable at = failure;
        for (int depth = 0; at != null && depth < DEEPEST_CAUSE; depth++) {
            if (at instanceof InterruptedException
                    || at instanceof ClosedByInterruptException
                    || (at instanceof InterruptedIOException && !(at instanceof SocketTimeoutException))) {
                return true;
            }
            if (at instanceof ExecutionException || at instanceof CompletionException) {
                return false;
            }
            at = at.getCause();
        }
        return false;
    }
}
