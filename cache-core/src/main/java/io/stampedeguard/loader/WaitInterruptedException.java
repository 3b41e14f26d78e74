package io.stampedeguard.loader;

/** Thrown if the caller was interrupted while it waited; its interrupt flag is set again. It holds no lease and runs no load. */
public final class WaitInterruptedException extends CacheException {
    /**
     * Creates the exception.
     *
     * @param message what happened, and for which key
     * @param cause the interrupt
     */
    public WaitInterruptedException(String message, Throwable cause) {
        super(message, cause);
    }
}
