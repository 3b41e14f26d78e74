package io.stampedeguard.store;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if the shared store did not execute a request: it is down, slow, or full, or it rejects the request. The message names
 * the request. If the answer was lost, a write may still have taken effect. Never thrown by {@code get}.
 */
public final class StoreException extends RuntimeException {
    private final boolean isShortage;
    private final transient @Nullable Supplier<String> message;

    /**
     * Creates the exception without a cause.
     *
     * @param message what was not done, and why; no credentials
     */
    public StoreException(String message) {
        super(message);
        this.isShortage = false;
        this.message = null;
    }

    /**
     * Creates the exception.
     *
     * @param message what was not done, for which key (shortened), and why; no credentials
     * @param cause the exception of the store's client
     */
    public StoreException(String message, Throwable cause) {
        this(message, cause, false);
    }

    /**
     * Creates the exception.
     *
     * @param message what was not done, for which key (shortened), and why; no credentials
     * @param cause the exception of the store's client
     * @param isShortage whether the request was never sent, because no connection was free
     */
    public StoreException(String message, Throwable cause, boolean isShortage) {
        super(message, cause);
        this.isShortage = isShortage;
        this.message = null;
    }

    private StoreException(Supplier<String> message, Throwable cause, boolean isShortage) {
        super(null, cause, false, false);
        this.isShortage = isShortage;
        this.message = message;
    }

    /**
     * Creates the exception of a request that was not sent because of an earlier failure, as behind an open circuit breaker. During
     * an outage each read has one, so it has no stack trace, and its message is built when it is read.
     *
     * @param message what was not done, for which key (shortened), and why; no credentials
     * @param cause why nothing was sent
     * @return the exception; a shortage if the cause is one
     */
    public static StoreException unsent(Supplier<String> message, Throwable cause) {
        return new StoreException(message, cause, cause instanceof StoreException earlier && earlier.isShortage());
    }

    @Override
    public @Nullable String getMessage() {
        return message == null ? super.getMessage() : message.get();
    }

    /** {@return whether nothing was sent because of an earlier failure, as behind an open circuit breaker} */
    public boolean isUnsent() {
        return message != null;
    }

    /** {@return whether no connection became free in time, so that nothing was sent; the store may be healthy: try again} */
    public boolean isShortage() {
        return isShortage;
    }
}
