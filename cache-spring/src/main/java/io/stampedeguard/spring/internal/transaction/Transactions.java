package io.stampedeguard.spring.internal.transaction;

import io.stampedeguard.spring.TransactionOptions;
import java.util.Set;
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

    /** Returns what the caller may do with a key now. */
    default Access access(String cache, String key) {
        return access(cache, Set.of(key));
    }

    /** Returns what the caller may do now with each of several keys. */
    Access access(String cache, Set<String> keys);

    /**
     * Makes a change at once; in a transaction, after its commit, in the order of all its changes, or never if it rolls back. What a
     * change throws after the commit is logged.
     */
    void change(String cache, Change what, Runnable change);

    /** Makes a change at once, and in a transaction once more when {@link #change} would make it. */
    void changeNow(String cache, Change what, Runnable change);

    /** Notes that a load begins whose value is stored; if this transaction rolls back, and its options say so, a removal of the key runs. */
    void loaded(String cache, String key, Runnable removal);

    /** Notes that a load is not stored, by {@link Access#mayStore}; the log names the reason once if the application can change it. */
    void notStored();
}
