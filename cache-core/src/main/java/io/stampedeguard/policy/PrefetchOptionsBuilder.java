package io.stampedeguard.policy;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.policy.PrefetchOptions.Progress;

/** Builder of {@link PrefetchOptions}. <em>Not thread-safe.</em> */
public final class PrefetchOptionsBuilder {
    private static final int LARGEST_BATCH = 10_000;

    int batchSize = 100;
    int keysPerSecond = 1_000;
    Progress progress = (done, total) -> {};

    PrefetchOptionsBuilder() {}

    /**
     * Sets the number of keys that are requested at once, which is also the maximum for a call of the loader. Default: 100.
     *
     * @param keys 1 to 10,000
     * @return this
     */
    public PrefetchOptionsBuilder batchSize(int keys) {
        batchSize = keys;
        return this;
    }

    /**
     * Sets the maximum number of keys that are requested per second, including keys that are cached already. Default: 1,000.
     *
     * @param keys at least 1
     * @return this
     */
    public PrefetchOptionsBuilder keysPerSecond(int keys) {
        keysPerSecond = keys;
        return this;
    }

    /**
     * Sets the callback after each batch, on the thread that prefetches. Default: none. The cache's listener is always notified.
     *
     * @param callback the callback
     * @return this
     */
    public PrefetchOptionsBuilder onProgress(Progress callback) {
        progress = requireNonNull(callback, "onProgress");
        return this;
    }

    /**
     * Creates the options.
     *
     * @return the options
     * @throws IllegalArgumentException if an option is out of range; the message names the option and its value
     */
    public PrefetchOptions build() {
        if (batchSize < 1 || batchSize > LARGEST_BATCH) {
            throw new IllegalArgumentException("batchSize " + batchSize + " is not from 1 to " + LARGEST_BATCH);
        }
        if (keysPerSecond < 1) {
            throw new IllegalArgumentException("keysPerSecond " + keysPerSecond + " is less than 1");
        }
        return new PrefetchOptions(this);
    }
}
