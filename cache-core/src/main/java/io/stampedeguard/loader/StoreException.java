package io.stampedeguard.loader;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if the shared store did not execute a request: it is down, slow, or full, or it rejects the request. The message names
 * the request. If the answer was lost, a write may still have taken effect. Never thrown by {@code get}.
 */
public final class StoreException extends RuntimeException {
    private final boolean isShortage;
    private final boolean isUnsent;
    private final boolean isRefusal;
    private final transient @Nullable Supplier<String> message;

    /**
     * Creates the exception without a cause.
     *
     * @param message what was not done, and why; no credentials
     */
    public StoreException(String message) {
        super(message);
        this.isShortage = false;
        this.isUnsent = false;
        this.isRefusal = false;
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
        this(message, cause, isShortage, false);
    }

    private StoreException(String message, @Nullable Throwable cause, boolean isShortage, boolean isRefusal) {
        super(message, cause);
        this.isShortage = isShortage;
        this.isUnsent = false;
        this.isRefusal = isRefusal;
        this.message = null;
    }

    /**
     * Creates the exception of a request that the store has answered by a refusal: it is full or read-only, for instance.
     *
     * @param message what was not done, for which key (shortened), and why; no credentials
     * @param cause the exception of the store's client, {@code null} if there is none
     * @return the exception
     */
    public static StoreException refused(String message, @Nullable Throwable cause) {
        return new StoreException(message, cause, false, true);
    }

    /** Creates the exception of a request that was not sent, with its message or with what builds it. */
    private StoreException(
            @Nullable String built,
            @Nullable Supplier<String> message,
            @Nullable Throwable cause,
            boolean isShortage,
            boolean isRefusal) {
        super(built, cause, false, false);
        this.isShortage = isShortage;
        this.isUnsent = true;
        this.isRefusal = isRefusal;
        this.message = message;
    }

    /**
     * Creates the exception of a request that was not sent because of an earlier failure, as behind an open circuit breaker. During
     * an outage each read has one, so it has no stack trace, and its message is built when it is read.
     *
     * @param message what was not done, for which key (shortened), and why; no credentials
     * @param cause why nothing was sent
     * @return the exception; a shortage or a refusal if the cause is one
     */
    public static StoreException unsent(Supplier<String> message, Throwable cause) {
        StoreException earlier = cause instanceof StoreException failure ? failure : null;
        return new StoreException(
                null, message, cause, earlier != null && earlier.isShortage(), earlier != null && earlier.isRefusal());
    }

    @Override
    public @Nullable String getMessage() {
        return message == null ? super.getMessage() : message.get();
    }

    /** {@return whether nothing was sent because of an earlier failure, as behind an open circuit breaker} */
    public boolean isUnsent() {
        return isUnsent;
    }

    /** {@return whether no connection became free in time, so that nothing was sent; the store may be healthy: try again} */
    public boolean isShortage() {
        return isShortage;
    }

    /**
     * {@return whether the store answers, and refuses the request or one that must come before it, or left such requests unanswered
     * while it answered reads, so that this one was not sent; it may answer reads}
     */
    public boolean isRefusal() {
        return isRefusal;
    }

    /** {@return what is serialized: what builds the message may be unserializable} */
    private Object writeReplace() {
        return message == null ? this : new StoreException(message.get(), null, getCause(), isShortage, isRefusal);
    }
}
