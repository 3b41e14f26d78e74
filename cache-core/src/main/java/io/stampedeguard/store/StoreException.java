package io.stampedeguard.store;

/**
 * Thrown if the shared store did not execute a request: it is down, slow, or full, or it rejects the request. The message names
 * the request. If the answer was lost, a write may still have taken effect. Never thrown by {@code get}.
 */
public final class StoreException extends RuntimeException {
    private final boolean isShortage;

    /**
     * Creates the exception without a cause.
     *
     * @param message what was not done, and why; no credentials
     */
    public StoreException(String message) {
        super(message);
        this.isShortage = false;
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
    }

    /** {@return whether no connection became free in time, so that nothing was sent; the store may be healthy: try again} */
    public boolean isShortage() {
        return isShortage;
    }
}
