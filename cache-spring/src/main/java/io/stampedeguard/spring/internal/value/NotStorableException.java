package io.stampedeguard.spring.internal.value;

import io.stampedeguard.internal.failure.Reported;
import java.io.Serial;

/** Thrown instead of storing a value that nobody could read. A warning has named its type, perhaps with another reason. */
public class NotStorableException extends IllegalStateException {
    @Serial
    private static final long serialVersionUID = 1;

    private NotStorableException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Creates the exception; {@code isLogged} tells whether a warning had this message. */
    static NotStorableException of(String message, Throwable cause, boolean isLogged) {
        return isLogged ? new Logged(message, cause) : new NotStorableException(message, cause);
    }

    private static final class Logged extends NotStorableException implements Reported {
        @Serial
        private static final long serialVersionUID = 1;

        private Logged(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
