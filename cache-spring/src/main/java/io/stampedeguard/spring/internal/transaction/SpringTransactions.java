package io.stampedeguard.spring.internal.transaction;

import io.stampedeguard.spring.TransactionOptions;
import io.stampedeguard.spring.TransactionOptions.Changes;
import io.stampedeguard.spring.TransactionOptions.Loads;
import io.stampedeguard.spring.internal.transaction.Step.CacheId;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Transactions that Spring binds to threads. A transaction is one with a synchronization: a scope of {@code SUPPORTS} without an actual
 * transaction has nothing to wait for, and a transaction that has ended only still occupies its connection.
 */
final class SpringTransactions implements Transactions {
    private static final Logger LOG = LoggerFactory.getLogger(SpringTransactions.class);

    private final TransactionOptions options;
    private final SnapshotIsolation isolation;
    private final AtomicBoolean hasWarned = new AtomicBoolean();

    SpringTransactions(TransactionOptions options) {
        this.options = options;
        this.isolation = new SnapshotIsolation(options.isolation());
    }

    @Override
    public Access access(String cache, Set<String> keys) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            return Access.OUTSIDE;
        }
        TransactionSteps steps = TransactionSteps.bound();
        if (steps != null && steps.hasChanged(new CacheId(this, cache), keys)) {
            return new Access(false, false, null, options.maxWait());
        }
        boolean keepsSnapshot = isolation.keepsSnapshot();
        return new Access(
                true,
                loadRule(steps, keepsSnapshot) != Loads.BYPASS,
                steps != null && keepsSnapshot ? steps.begin() : null,
                options.maxWait());
    }

    @Override
    public void change(String cache, Change what, Runnable change) {
        TransactionSteps steps = TransactionSteps.join();
        if (steps == null) {
            change.run();
        } else if (options.changes() == Changes.AFTER_COMMIT) {
            changeLater(steps, Step.deferred(new CacheId(this, cache), what, change), change);
        } else {
            changeImmediately(steps, new CacheId(this, cache), what, change);
        }
    }

    @Override
    public void changeNow(String cache, Change what, Runnable change) {
        if (TransactionSteps.join() != null) {
            change(cache, what, change); // first: the change itself may fail, and the transaction go on
        }
        change.run();
    }

    private static void changeLater(TransactionSteps steps, Step step, Runnable change) {
        if (!steps.add(step)) {
            change.run();
        }
    }

    /** A put of which the transaction could not remember that a rollback must remove it is a removal from the outset. */
    private static void changeImmediately(TransactionSteps steps, CacheId cache, Change what, Runnable change) {
        Runnable removal = what.removal();
        if (removal != null && !steps.hasRoomForChanges(cache)) {
            changeImmediately(steps, cache, what.asRemoval(), removal);
        } else {
            steps.add(Step.immediate(cache, what, change));
            change.run();
        }
    }

    /**
     * Returns what becomes of a value that an actual transaction loads: it is stored, except in a read-write transaction, by the
     * options. One that would be removed after a rollback is not stored at all once the transaction has changed a cache, since what such
     * a transaction reads may be what it has written; and once the removals are too many. Nor is one that may be older than a change
     * that nobody can tell, because it is of a snapshot from an unknown time.
     */
    private Loads loadRule(@Nullable TransactionSteps steps, boolean keepsSnapshot) {
        if (keepsSnapshot && hasUnknownBegin(steps)) {
            return Loads.BYPASS;
        }
        if (!isReadWrite() || (steps != null && steps.hasEnded())) {
            return Loads.STORE;
        }
        boolean mayReadItsOwnWrites = steps != null && steps.hasChanges();
        boolean canRemoveIt = steps == null || steps.hasRoomForLoads();
        return options.loads() == Loads.EVICT_ON_ROLLBACK && (mayReadItsOwnWrites || !canRemoveIt)
                ? Loads.BYPASS
                : options.loads();
    }

    private static boolean isReadWrite() {
        return TransactionSynchronizationManager.isSynchronizationActive()
                && !TransactionSynchronizationManager.isCurrentTransactionReadOnly();
    }

    private static boolean hasUnknownBegin(@Nullable TransactionSteps steps) {
        return steps == null || steps.begin() == null;
    }

    /** While the callbacks of a completion run, nothing can be noted any more: the next transaction is. */
    @Override
    public void notStored() {
        if (TransactionSynchronizationManager.isSynchronizationActive()
                && TransactionSynchronizationManager.isActualTransactionActive()
                && isolation.keepsSnapshot()
                && hasUnknownBegin(TransactionSteps.bound())
                && hasWarned.compareAndSet(false, true)) {
            LOG.warn(
                    "A transaction may read a snapshot of the database, and nobody has noted when it began: what is loaded in it is not"
                            + " stored. Define its transaction manager as a bean of the application context; let Spring begin it if"
                            + " it is a transaction of JTA; or set stampede.transactions.isolation to 'statement' if each statement"
                            + " reads what is committed");
        }
    }

    @Override
    public void loaded(String cache, String key, Runnable removal) {
        if (TransactionSynchronizationManager.isActualTransactionActive()
                && loadRule(TransactionSteps.bound(), isolation.keepsSnapshot()) == Loads.EVICT_ON_ROLLBACK) {
            TransactionSteps steps = TransactionSteps.join();
            if (steps != null) {
                steps.add(Step.loaded(new CacheId(this, cache), key, removal));
            }
        }
    }
}
