package io.stampedeguard.spring.internal.value;

import io.stampedeguard.internal.failure.Reported;
import java.io.Serial;

/** Thrown instead of storing a value that nobody could read; a warning has named its type already. */
public final class NotStorableException extends IllegalStateException implements Reported {
    @Serial
    private static final long serialVersionUID = 1;

    NotStorableException(String message, Throwable cause) {
        super(message, cause);
    }
}
