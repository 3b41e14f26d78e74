package io.stampedeguard.policy;

/** The rate of a prefetch, and the callback for its progress. <em>Immutable.</em> */
public final class PrefetchOptions {
    private static final PrefetchOptions DEFAULTS = builder().build();

    private final int batchSize;
    private final int keysPerSecond;
    private final Progress progress;

    PrefetchOptions(PrefetchOptionsBuilder from) {
        this.batchSize = from.batchSize;
        this.keysPerSecond = from.keysPerSecond;
        this.progress = from.progress;
    }

    /** A callback for the progress of a prefetch. What it throws is reported like an exception of a listener. */
    @FunctionalInterface
    public interface Progress {
        /**
         * Called after each batch, whether it succeeded or failed.
         *
         * @param done the number of keys requested so far
         * @param total the number of all keys
         */
        void made(int done, int total);
    }

    /** {@return the defaults: batches of 100, 1,000 keys per second, and no callback} */
    public static PrefetchOptions defaults() {
        return DEFAULTS;
    }

    /** {@return a new builder with the defaults} */
    public static PrefetchOptionsBuilder builder() {
        return new PrefetchOptionsBuilder();
    }

    /** {@return a new builder with these options} */
    public PrefetchOptionsBuilder toBuilder() {
        return builder().batchSize(batchSize).keysPerSecond(keysPerSecond).onProgress(progress);
    }

    /** {@return the number of keys that are requested at once} */
    public int batchSize() {
        return batchSize;
    }

    /** {@return the maximum number of keys that are requested per second} */
    public int keysPerSecond() {
        return keysPerSecond;
    }

    /** {@return the callback} */
    public Progress progress() {
        return progress;
    }

    /** Returns the numbers, for logs. */
    @Override
    public String toString() {
        return "PrefetchOptions[batchSize=" + batchSize + ", keysPerSecond=" + keysPerSecond + "]";
    }
}
