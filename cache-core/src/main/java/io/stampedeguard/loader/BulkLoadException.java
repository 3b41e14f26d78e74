package io.stampedeguard.loader;

import static java.util.Objects.requireNonNull;

import java.util.Collections;
import java.util.Map;

/**
 * Some keys of a {@code getAll} could not be answered. What was obtained for the others is here, and is stored as if nothing
 * had failed; each key that has no answer has the exception that {@code get} would have thrown. The cause is the first of
 * these.
 */
@SuppressWarnings("serial") // values and keys are the user's, and go wherever this exception goes
public final class BulkLoadException extends CacheException {
    private final Map<Object, Object> values;
    private final Map<Object, CacheException> failures;

    /**
     * Creates the exception.
     *
     * @param message says how many keys have no answer
     * @param values what was obtained; not changed afterwards
     * @param failures why the other keys have no answer, at least one; not changed afterwards
     */
    public BulkLoadException(String message, Map<?, ?> values, Map<?, CacheException> failures) {
        super(message, requireNonNull(failures.values().iterator().next()));
        this.values = Collections.unmodifiableMap(values);
        this.failures = Collections.unmodifiableMap(failures);
    }

    /**
     * Returns what was obtained.
     *
     * @return the values by their keys, in the order of the keys that were asked for, without those of which the origin has
     *     none; not to be changed
     */
    public Map<Object, Object> values() {
        return values;
    }

    /**
     * Returns what went wrong.
     *
     * @return for each key that has no answer why, in the order of the keys that were asked for; not to be changed
     */
    public Map<Object, CacheException> failures() {
        return failures;
    }
}
