package io.stampedeguard.spring.internal.transaction;

import io.stampedeguard.spring.TransactionOptions;
import io.stampedeguard.spring.TransactionOptions.Changes;
import io.stampedeguard.spring.TransactionOptions.Loads;
import io.stampedeguard.spring.internal.transaction.Step.CacheId;
import java.time.Duration;
import java.time.Instant;
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
    public boolean hasChanged(String cache, String key) {
        TransactionSteps steps = TransactionSteps.bound();
        return steps != null && steps.hasChanged(new CacheId(this, cache), key);
    }

    @Override
    public void change(String cache, Change what, Runnable change) {
        TransactionSteps steps = TransactionSteps.join();
        if (steps == null) {
            change.run();
        } else if (options.changes() == Changes.AFTER_COMMIT) {
            changeLater(steps, Step.deferred(new CacheId(this, cache), what, change), change);
        } else {
            changeNow(steps, new CacheId(this, cache), what, change);
        }
    }

    private static void changeLater(TransactionSteps steps, Step step, Runnable change) {
        if (!steps.add(step)) {
            change.run();
        }
    }

    /** A put of which the transaction could not remember that a rollback must remove it is a removal from the outset. */
    private static void changeNow(TransactionSteps steps, CacheId cache, Change what, Runnable change) {
        Runnable removal = what.removal();
        if (removal != null && !steps.hasRoomForChanges(cache)) {
            changeNow(steps, cache, what.asRemoval(), removal);
        } else {
            steps.add(Step.immediate(cache, what, change));
            change.run();
        }
    }

    @Override
    public Loads loadRule() {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            return Loads.STORE;
        }
        TransactionSteps steps = TransactionSteps.bound();
        if (isolation.keepsSnapshot() && (steps == null || steps.begin() == null)) {
            warnOfUnknownBegin();
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

    /** While the callbacks of a completion run, nothing can be noted any more: the next transaction is. */
    private void warnOfUnknownBegin() {
        if (TransactionSynchronizationManager.isSynchronizationActive() && hasWarned.compareAndSet(false, true)) {
            LOG.warn(
                    "A transaction may read a snapshot of the database, and nobody has noted when it began: what is loaded in it is not"
                            + " stored. Define its transaction manager as a bean of the application context, or set"
                            + " stampede.transactions.isolation to 'statement' if each statement reads what is committed");
        }
    }

    @Override
    public void loaded(String cache, String key, Runnable removal) {
        if (loadRule() == Loads.EVICT_ON_ROLLBACK) {
            TransactionSteps steps = TransactionSteps.join();
            if (steps != null) {
                steps.add(Step.loaded(new CacheId(this, cache), key, removal));
            }
        }
    }

    @Override
    public @Nullable Instant snapshotBegin() {
        TransactionSteps steps = TransactionSteps.bound();
        return steps != null && isolation.keepsSnapshot() ? steps.begin() : null;
    }

    @Override
    public @Nullable Duration maxWait() {
        return TransactionSynchronizationManager.isActualTransactionActive() ? options.maxWait() : null;
    }
}
