package io.stampedeguard.filter;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.KeyText;
import io.stampedeguard.filter.bloom.BloomShape;
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
     * Sets for how many keys the filter is made. With more it lets more pass than it should, and says so.
     *
     * @param number how many keys the origin may have until the filter is replaced; at least 1
     * @return this builder
     */
    public LocalKeyFilterBuilder<K> expectedKeys(long number) {
        this.expectedKeys = number;
        return this;
    }

    /**
     * Sets which share of made-up keys may pass once the filter has as many keys as expected. A hundredth unless set.
     *
     * @param rate from 0.000001 to 0.5
     * @return this builder
     */
    public LocalKeyFilterBuilder<K> falsePositiveRate(double rate) {
        this.falsePositiveRate = rate;
        return this;
    }

    /**
     * Sets how keys are hashed. {@link KeyHash#standard()} unless set.
     *
     * @param hash the function
     * @return this builder
     */
    public LocalKeyFilterBuilder<K> keyHash(KeyHash<? super K> hash) {
        this.keyHash = requireNonNull(hash, "keyHash");
        return this;
    }

    /**
     * Sets who is told of what becomes of the filter. Nobody unless set.
     *
     * @param told the listener
     * @return this builder
     */
    public LocalKeyFilterBuilder<K> listener(FilterListener told) {
        this.listener = requireNonNull(told, "listener");
        return this;
    }

    /**
     * Sets the clock, for tests. That of the machine unless set.
     *
     * @param source the clock
     * @return this builder
     */
    public LocalKeyFilterBuilder<K> timeSource(TimeSource source) {
        this.time = requireNonNull(source, "timeSource");
        return this;
    }

    /**
     * Creates the filter; it takes memory with its first rebuild.
     *
     * @return a new filter, not in force yet
     * @throws IllegalArgumentException if the name is not 1 to 64 letters, digits, dots, hyphens and underscores, if
     *     {@code expectedKeys} is missing, or if no filter can be made for it and the rate; the message names the filter
     */
    public LocalKeyFilter<K> build() {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("filter name " + KeyText.shown(name)
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
