package io.stampedeguard.spring.internal.transaction;

import io.stampedeguard.spring.TransactionOptions;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * The transaction of the calling thread, as caches of one manager see it. All methods are called on the thread of an annotated method's caller,
 * before the method is invoked: a load may run on another thread, which has no transaction, or another one. <em>Thread-safe.</em>
 *
 * <p>Transactions that are bound to a thread are seen, whatever their resource; reactive ones are not: in these, changes take effect
 * at once.
 */
public interface Transactions {
    /** Returns the transactions of an application for a manager of caches; none if Spring's transactions are not on the class path. */
    static Transactions of(TransactionOptions options) {
        boolean isPresent = ClassUtils.isPresent(
                "org.springframework.transaction.support.TransactionSynchronizationManager",
                Transactions.class.getClassLoader());
        return isPresent ? new SpringTransactions(options) : none();
    }

    /** Returns no transactions: every change takes effect at once. */
    static Transactions none() {
        return NoTransactions.INSTANCE;
    }

    /**
     * Returns whether this transaction has changed a key, all keys, or those with a tag. Then a read must go around the cache, which
     * still has what was there before; and what it loads must not be stored, since nobody else may see it.
     */
    boolean hasChanged(String cache, String key);

    /**
     * Makes a change at once; in a transaction, after its commit, in the order of all its changes, or never if it rolls back. What a
     * change throws after the commit is logged.
     */
    void change(String cache, Change what, Runnable change);

    /**
     * Returns what becomes of a value that this transaction loads: it is stored, except in a read-write transaction, by the options.
     * One that would be removed after a rollback is not stored at all once the transaction has changed a cache, since what such a
     * transaction reads may be what it has written; and once the removals are too many. Nor is one that may be older than a change that
     * nobody can tell, because it is of a snapshot from an unknown time.
     */
    TransactionOptions.Loads loadRule();

    /** Runs a removal of the key if this transaction rolls back, and if its values are stored until then. */
    void loaded(String cache, String key, Runnable removal);

    /**
     * Returns an instant, by the clock of this process, that is not later than the snapshot that this transaction reads; {@code null}
     * if it reads what is committed when a statement begins, or if there is no transaction.
     */
    @Nullable
    Instant snapshotBegin();

    /** Returns how long a caller waits for another's load, while it holds what that load may need; {@code null} for no such limit. */
    @Nullable
    Duration maxWait();
}
