package io.stampedeguard.loader;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Somebody in the fleet has tried to load the key just now and failed, and there is no stale value to show; the loader was
 * not called again. Asking again after {@link #retryAfter} may help.
 */
public final class RecentLoadFailureException extends CacheException {
    private final String failureType;
    private final @Nullable String failureMessage;
    private final Duration retryAfter;

    /**
     * Creates the exception.
     *
     * @param message says what happened, and of which key
     * @param failureType the name of the class that the loader threw
     * @param failureMessage its message
     * @param retryAfter for how long the loader is not called for the key
     */
    public RecentLoadFailureException(
            String message, String failureType, @Nullable String failureMessage, Duration retryAfter) {
        super(message);
        this.failureType = failureType;
        this.failureMessage = failureMessage;
        this.retryAfter = retryAfter;
    }

    /**
     * Returns what the loader threw, wherever it ran.
     *
     * @return the name of the exception's class, cut to 200 characters
     */
    public String failureType() {
        return failureType;
    }

    /**
     * Returns what the loader's exception said.
     *
     * @return its message, cut to 500 characters, or {@code null} if it had none
     */
    public @Nullable String failureMessage() {
        return failureMessage;
    }

    /**
     * Returns for how long the loader is not called for this key, unless the key is put or invalidated meanwhile.
     *
     * @return the rest of the cool-down when this exception was made
     */
    public Duration retryAfter() {
        return retryAfter;
    }
}
