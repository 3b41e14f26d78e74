package io.stampedeguard.event;

import org.jspecify.annotations.Nullable;

/** A step under way, as a listener sees it. Told of its end on the thread that began it. */
@FunctionalInterface
public interface StepScope {
    /** For listeners that take no interest. */
    StepScope NONE = failure -> {};

    /**
     * The step is over.
     *
     * @param failure why it failed; {@code null} if it did not
     */
    void end(@Nullable Throwable failure);
}
