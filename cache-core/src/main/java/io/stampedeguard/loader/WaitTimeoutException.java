package io.stampedeguard.loader;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if another caller's load did not end within the policy's {@code waitTimeout}, or the {@code maxWait} of this call. The
 * load continues, of one key or of many, and its result is stored, so a retry later may find it. Also thrown if the store gave no
 * connection, or no answer to an asynchronous call, in that time ({@link #isOfStore}); then perhaps nobody loads the key.
 */
public final class WaitTimeoutException extends CacheException {
    private final boolean isOfStore;

    /**
     * Creates the exception of a wait for another caller's load.
     *
     * @param message what happened, and for which key
     */
    public WaitTimeoutException(String message) {
        super(message);
        this.isOfStore = false;
    }

    /**
     * Creates the exception of a wait for another caller's load.
     *
     * @param message what happened, and for which key
     * @param cause the reason
     */
    public WaitTimeoutException(String message, Throwable cause) {
        super(message, cause);
        this.isOfStore = false;
    }

    private WaitTimeoutException(boolean isOfStore, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.isOfStore = isOfStore;
    }

    /**
     * Creates the exception of a wait for the store: for its answer, or for a connection.
     *
     * @param message what happened, and for which key
     * @param cause the reason, {@code null} if there is none
     * @return the exception
     */
    public static WaitTimeoutException ofStore(String message, @Nullable Throwable cause) {
        return new WaitTimeoutException(true, message, cause);
    }

    /** {@return whether the store gave no answer or no connection in time; otherwise another caller's load did not end} */
    public boolean isOfStore() {
        return isOfStore;
    }
}
