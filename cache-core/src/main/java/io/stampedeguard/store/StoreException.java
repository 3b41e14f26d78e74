package io.stampedeguard.store;

/**
 * The shared store could not do what it was asked: it is gone, slow, full, or refuses. The message says what was not
 * done; whether a write took effect all the same is unknown when the answer was lost. Never thrown by {@code get}.
 */
public final class StoreException extends RuntimeException {
    /**
     * Makes the exception without a cause.
     *
     * @param message what was not done, and why; no credentials
     */
    public StoreException(String message) {
        super(message);
    }

    /**
     * Makes the exception.
     *
     * @param message what was not done, to which key (shortened), and why; no credentials
     * @param cause what the store's client reported
     */
    public StoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
