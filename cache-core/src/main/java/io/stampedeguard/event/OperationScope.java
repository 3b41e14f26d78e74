package io.stampedeguard.event;

import org.jspecify.annotations.Nullable;

/** A running operation, as a listener sees it. Notified of its end on the thread that began it. */
@FunctionalInterface
public interface OperationScope {
    /** A scope that ignores the end of the operation. */
    OperationScope NONE = failure -> {};

    /**
     * Called when the operation has ended.
     *
     * @param failure the failure; {@code null} if it succeeded
     */
    void end(@Nullable Throwable failure);
}
