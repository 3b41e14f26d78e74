package io.stampedeguard;

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

    private BulkLoadException(String message, Map<?, ?> values, Map<?, CacheException> failures) {
        super(message, requireNonNull(failures.values().iterator().next()));
        this.values = Collections.unmodifiableMap(values);
        this.failures = Collections.unmodifiableMap(failures);
    }

    /** Makes the exception; the maps are not changed afterwards. */
    static BulkLoadException of(String cache, int asked, Map<?, ?> values, Map<?, CacheException> failures) {
        CacheException first = failures.values().iterator().next();
        return new BulkLoadException(
                failures.size() + " of " + asked + " keys of cache '" + cache + "' have no answer, the first because: "
                        + first.getMessage(),
                values,
                failures);
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
