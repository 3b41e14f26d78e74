package io.stampedeguard.loader;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a load of the key has recently failed somewhere in the fleet and there is no stale value; the loader was not
 * invoked again. Retrying after {@link #retryAfter} may help.
 */
public final class RecentLoadFailureException extends CacheException {
    private final String failureType;
    private final @Nullable String failureMessage;
    private final Duration retryAfter;

    /**
     * Creates the exception.
     *
     * @param message what happened, and for which key
     * @param failureType the class name of the loader's exception
     * @param failureMessage its message
     * @param retryAfter how long the loader is not invoked for the key
     */
    public RecentLoadFailureException(
            String message, String failureType, @Nullable String failureMessage, Duration retryAfter) {
        super(message);
        this.failureType = failureType;
        this.failureMessage = failureMessage;
        this.retryAfter = retryAfter;
    }

    /**
     * {@return the class name of the loader's exception, whichever process it was thrown in, cut to 200 characters} Unlike the
     * message of this exception, it is not escaped.
     */
    public String failureType() {
        return failureType;
    }

    /**
     * {@return the message of the loader's exception, cut to 500 characters, or {@code null} if it had none} Unlike the message of
     * this exception, it is not escaped: another process may have written any characters.
     */
    public @Nullable String failureMessage() {
        return failureMessage;
    }

    /** {@return the cool-down left when this was created, in which the key is not loaded unless it is put or invalidated} */
    public Duration retryAfter() {
        return retryAfter;
    }
}
