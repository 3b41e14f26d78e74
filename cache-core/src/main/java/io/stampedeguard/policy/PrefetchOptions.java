package io.stampedeguard.policy;

import static java.util.Objects.requireNonNull;

/** The rate of a prefetch, and the callback for its progress. <em>Immutable.</em> */
public final class PrefetchOptions {
    private static final int LARGEST_BATCH = 10_000;
    private static final PrefetchOptions DEFAULTS = new PrefetchOptions(100, 1_000, (done, total) -> {});

    private final int batchSize;
    private final int keysPerSecond;
    private final Progress progress;

    private PrefetchOptions(int batchSize, int keysPerSecond, Progress progress) {
        this.batchSize = batchSize;
        this.keysPerSecond = keysPerSecond;
        this.progress = progress;
    }

    /** A callback for the progress of a prefetch. Its exceptions are treated like those of a listener. */
    @FunctionalInterface
    public interface Progress {
        /**
         * Called after each batch, whether or not it failed.
         *
         * @param done the number of keys processed so far
         * @param total the number of all keys
         */
        void made(int done, int total);
    }

    /**
     * Returns the defaults: batches of 100 keys, 1,000 keys per second, no callback.
     *
     * @return the defaults
     */
    public static PrefetchOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Sets the size of a batch, which is also the maximum number of keys of one call of the loader. Default: 100.
     *
     * @param keys 1 to 10,000
     * @return new options, otherwise identical to these
     * @throws IllegalArgumentException if the number is out of range
     */
    public PrefetchOptions batchSize(int keys) {
        if (keys < 1 || keys > LARGEST_BATCH) {
            throw new IllegalArgumentException("batchSize " + keys + " is not from 1 to " + LARGEST_BATCH);
        }
        return new PrefetchOptions(keys, keysPerSecond, progress);
    }

    /**
     * Sets the maximum number of keys per second, whether or not they are already cached. Default: 1,000.
     *
     * @param keys at least 1
     * @return new options, otherwise identical to these
     * @throws IllegalArgumentException if the number is less than 1
     */
    public PrefetchOptions keysPerSecond(int keys) {
        if (keys < 1) {
            throw new IllegalArgumentException("keysPerSecond " + keys + " is less than 1");
        }
        return new PrefetchOptions(batchSize, keys, progress);
    }

    /**
     * Sets the callback after each batch, on the thread that prefetches. Default: none; the cache's listener is called in any
     * case.
     *
     * @param callback the callback
     * @return new options, otherwise identical to these
     */
    public PrefetchOptions onProgress(Progress callback) {
        return new PrefetchOptions(batchSize, keysPerSecond, requireNonNull(callback, "onProgress"));
    }

    /**
     * Returns the size of a batch.
     *
     * @return the number of keys
     */
    public int batchSize() {
        return batchSize;
    }

    /**
     * Returns the maximum number of keys per second.
     *
     * @return the number of keys
     */
    public int keysPerSecond() {
        return keysPerSecond;
    }

    /**
     * Returns the callback after each batch.
     *
     * @return the callback
     */
    public Progress progress() {
        return progress;
    }

    /** Returns the settings, for logs. */
    @Override
    public String toString() {
        return "PrefetchOptions[batchSize=" + batchSize + ", keysPerSecond=" + keysPerSecond + "]";
    }
}
