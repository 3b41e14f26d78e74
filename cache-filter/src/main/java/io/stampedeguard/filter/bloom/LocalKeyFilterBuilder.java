package io.stampedeguard.filter.bloom;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.filter.FilterListener;
import io.stampedeguard.filter.internal.BloomShape;
import io.stampedeguard.time.TimeSource;
import java.util.regex.Pattern;

/**
 * A builder of {@link LocalKeyFilter}. Only {@link #expectedKeys} is required. <em>Not thread-safe.</em>
 *
 * @param <K> the type of the keys
 */
public final class LocalKeyFilterBuilder<K> {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final double DEFAULT_RATE = 0.01;

    final String name;
    long expectedKeys;
    double falsePositiveRate = DEFAULT_RATE;
    KeyHash<? super K> keyHash = KeyHash.standard();
    FilterListener listener = new FilterListener() {};
    TimeSource time = TimeSource.system();

    LocalKeyFilterBuilder(String name) {
        this.name = requireNonNull(name, "name");
    }

    /**
     * Sets the number of keys that the filter is sized for. Required. With more keys, it lets more nonexistent keys pass, and
     * logs a warning.
     *
     * @param number the number of keys that the origin may have until the filter is replaced; at least 1
     * @return this builder
     */
    public LocalKeyFilterBuilder<K> expectedKeys(long number) {
        this.expectedKeys = number;
        return this;
    }

    /**
     * Sets the share of nonexistent keys that may pass when the filter contains the expected number of keys. Default: 0.01.
     *
     * @param rate from 0.000001 to 0.5
     * @return this builder
     */
    public LocalKeyFilterBuilder<K> falsePositiveRate(double rate) {
        this.falsePositiveRate = rate;
        return this;
    }

    /**
     * Sets the hash function of the keys. Default: {@link KeyHash#standard()}.
     *
     * @param hash the function
     * @return this builder
     */
    public LocalKeyFilterBuilder<K> keyHash(KeyHash<? super K> hash) {
        this.keyHash = requireNonNull(hash, "keyHash");
        return this;
    }

    /**
     * Sets the listener for the events of the filter. Default: none.
     *
     * @param filterListener the listener
     * @return this builder
     */
    public LocalKeyFilterBuilder<K> listener(FilterListener filterListener) {
        this.listener = requireNonNull(filterListener, "listener");
        return this;
    }

    /**
     * Sets the clock, for tests. Default: the machine's clock.
     *
     * @param source the clock
     * @return this builder
     */
    public LocalKeyFilterBuilder<K> timeSource(TimeSource source) {
        this.time = requireNonNull(source, "timeSource");
        return this;
    }

    /**
     * Creates the filter. Its bits are allocated by the first rebuild.
     *
     * @return a new filter, not in force yet
     * @throws IllegalArgumentException if the name is not 1 to 64 letters, digits, dots, hyphens, and underscores, if {@code
     *     expectedKeys} is missing, or if no filter is possible for it and the rate; the message names the filter
     */
    public LocalKeyFilter<K> build() {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("filter name " + KeyEncoder.shown(name)
                    + " is not 1 to 64 letters, digits, dots, hyphens and underscores");
        }
        return new LocalKeyFilter<>(this, shape());
    }

    private BloomShape shape() {
        try {
            return BloomShape.of(expectedKeys, falsePositiveRate);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(e.getMessage() + " for filter '" + name + "'", e);
        }
    }
}
