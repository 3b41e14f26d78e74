package io.stampedeguard.policy;

import static java.util.Objects.requireNonNull;

/** How fast keys are prefetched, and who is told how far that is. <em>Immutable.</em> */
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

    /** Is told how far a prefetch is; foreign code, as a listener is. */
    @FunctionalInterface
    public interface Progress {
        /**
         * A batch is over, well or not.
         *
         * @param done how many keys have been asked for so far
         * @param total how many there are
         */
        void made(int done, int total);
    }

    /**
     * Returns the defaults: batches of 100, 1,000 keys a second, and nobody is told.
     *
     * @return the defaults
     */
    public static PrefetchOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Sets how many keys are asked for at once: the loader is called with as many at most. Default: 100.
     *
     * @param keys 1 to 10,000
     * @return options that differ in this
     * @throws IllegalArgumentException if the number is out of range
     */
    public PrefetchOptions batchSize(int keys) {
        if (keys < 1 || keys > LARGEST_BATCH) {
            throw new IllegalArgumentException("batchSize " + keys + " is not from 1 to " + LARGEST_BATCH);
        }
        return new PrefetchOptions(keys, keysPerSecond, progress);
    }

    /**
     * Sets how many keys are asked for in a second at most, whether they are there already or not. Default: 1,000.
     *
     * @param keys at least 1
     * @return options that differ in this
     * @throws IllegalArgumentException if the number is less than 1
     */
    public PrefetchOptions keysPerSecond(int keys) {
        if (keys < 1) {
            throw new IllegalArgumentException("keysPerSecond " + keys + " is less than 1");
        }
        return new PrefetchOptions(batchSize, keys, progress);
    }

    /**
     * Sets who is told after each batch, on the thread that prefetches. Default: nobody, but for the cache's listener.
     *
     * @param told is told
     * @return options that differ in this
     */
    public PrefetchOptions onProgress(Progress told) {
        return new PrefetchOptions(batchSize, keysPerSecond, requireNonNull(told, "onProgress"));
    }

    /**
     * Returns how many keys are asked for at once.
     *
     * @return the number
     */
    public int batchSize() {
        return batchSize;
    }

    /**
     * Returns how many keys are asked for in a second at most.
     *
     * @return the number
     */
    public int keysPerSecond() {
        return keysPerSecond;
    }

    /**
     * Returns who is told after each batch.
     *
     * @return who is told
     */
    public Progress progress() {
        return progress;
    }

    /** Returns the numbers, for logs. */
    @Override
    public String toString() {
        return "PrefetchOptions[batchSize=" + batchSize + ", keysPerSecond=" + keysPerSecond + "]";
    }
}
