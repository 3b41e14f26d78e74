package io.stampedeguard.loader;

import static java.util.Objects.requireNonNull;

import java.util.Collections;
import java.util.Map;

/**
 * Thrown if some keys of a {@code getAll} have no answer. The values of the other keys are included, and are stored as if nothing
 * had failed. Each key without an answer has the exception that {@code get} would have thrown. The cause is the first of these.
 */
@SuppressWarnings("serial") // values and keys are the user's, and go wherever this exception goes
public final class BulkLoadException extends CacheException {
    private final Map<Object, Object> values;
    private final Map<Object, CacheException> failures;

    /**
     * Creates the exception.
     *
     * @param message how many keys have no answer
     * @param values the values of the other keys; not to be modified afterwards
     * @param failures the exception of each key without an answer, at least one; not to be modified afterwards
     */
    public BulkLoadException(String message, Map<?, ?> values, Map<?, CacheException> failures) {
        super(message, requireNonNull(failures.values().iterator().next()));
        this.values = Collections.unmodifiableMap(values);
        this.failures = Collections.unmodifiableMap(failures);
    }

    /** {@return the values found or loaded, in the order of the requested keys, without absent keys; not modifiable} */
    public Map<Object, Object> values() {
        return values;
    }

    /** {@return the exceptions of the keys without an answer, in the order of the requested keys; not modifiable} */
    public Map<Object, CacheException> failures() {
        return failures;
    }
}
