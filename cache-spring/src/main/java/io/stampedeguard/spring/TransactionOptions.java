package io.stampedeguard.spring;

import java.time.Duration;
import java.util.Objects;

/**
 * How caches take part in transactions of Spring. <em>Immutable.</em>
 *
 * @param loads what becomes of values that are loaded in a read-write transaction
 * @param changes when changes take effect
 * @param isolation whether transactions read a snapshot of the database
 * @param maxWait how long a caller in a transaction waits for the load of another caller; then it calls the method itself
 */
public record TransactionOptions(Loads loads, Changes changes, Isolation isolation, Duration maxWait) {
    /** What becomes of a value that is loaded in a read-write transaction. */
    public enum Loads {
        /** Stored at once, and removed if the transaction rolls back. */
        EVICT_ON_ROLLBACK,
        /** Never stored. */
        BYPASS,
        /** Stored at once, for good. */
        STORE
    }

    /** When {@code @CachePut}, {@code @CacheEvict}, and changes by hand take effect. */
    public enum Changes {
        /** After the commit, in their order; a rollback drops them. */
        AFTER_COMMIT,
        /** At once. */
        IMMEDIATE
    }

    /** Whether transactions read a snapshot of the database that is older than the load. */
    public enum Isolation {
        /**
         * By the isolation level of the transaction, or by the default one of its {@code DataSource}, which is asked once. A session of
         * JPA or MyBatis keeps what it has read, as a snapshot does, at each level.
         */
        AUTO,
        /** Always, as under {@code REPEATABLE READ}: a load that began before a change is not stored after it. */
        SNAPSHOT,
        /** Never, as under {@code READ COMMITTED}. */
        STATEMENT
    }

    private static final TransactionOptions DEFAULTS = new TransactionOptions(
            Loads.EVICT_ON_ROLLBACK, Changes.AFTER_COMMIT, Isolation.AUTO, Duration.ofSeconds(1));

    /**
     * Creates options.
     *
     * @param loads what becomes of values that are loaded in a read-write transaction
     * @param changes when changes take effect
     * @param isolation whether transactions read a snapshot of the database
     * @param maxWait how long a caller in a transaction waits for the load of another caller; then it calls the method itself
     * @throws IllegalArgumentException if {@code maxWait} is negative
     */
    public TransactionOptions {
        Objects.requireNonNull(loads, "loads");
        Objects.requireNonNull(changes, "changes");
        Objects.requireNonNull(isolation, "isolation");
        if (maxWait.isNegative()) {
            throw new IllegalArgumentException(
                    "stampede.transactions.wait (" + StampedeCacheOptions.text(maxWait) + ") is negative");
        }
    }

    /** {@return the defaults: evict on rollback, after commit, auto, and 1 second} */
    public static TransactionOptions defaults() {
        return DEFAULTS;
    }
}
