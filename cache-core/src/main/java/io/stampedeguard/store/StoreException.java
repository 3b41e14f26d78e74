package io.stampedeguard.store;

/**
 * The shared store could not do what it was asked: it is gone, slow, full, or refuses. The message says what was not
 * done; whether a write took effect all the same is unknown when the answer was lost. Never thrown by {@code get}.
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
     * @param message what was not done, to which key (shortened), and why; no credentials
     * @param cause what the store's client reported
     */
    public StoreException(String message, Throwable cause) {
        this(message, cause, false);
    }

    /**
     * Creates the exception.
     *
     * @param message what was not done, to which key (shortened), and why; no credentials
     * @param cause what the store's client reported
     * @param isShortage whether the store was not even asked, as there was no connection free
     */
    public StoreException(String message, Throwable cause, boolean isShortage) {
        super(message, cause);
        this.isShortage = isShortage;
    }

    /**
     * Returns whether the store was not asked at all, because no connection came free in time. This says nothing about the
     * store: the caller may ask again.
     *
     * @return whether more connections would have helped
     */
    public boolean isShortage() {
        return isShortage;
    }
}
