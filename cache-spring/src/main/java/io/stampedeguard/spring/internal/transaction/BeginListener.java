package io.stampedeguard.spring.internal.transaction;

import io.stampedeguard.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;

/**
 * Notes when each transaction of a manager begins: before anything is sent to the database, so that no snapshot is older. The
 * transaction may wait for a connection first; the time that is noted then is only earlier than needed.
 */
final class BeginListener implements TransactionExecutionListener {
    private static final BeginListener INSTANCE = new BeginListener();

    /** Between the two calls of a begin. */
    private static final ThreadLocal<@Nullable Long> BEGAN_NANOS = new ThreadLocal<>();

    private BeginListener() {}

    /** Adds the listener to a manager of transactions that are bound to threads. */
    static void addTo(Object bean) {
        if (bean instanceof ConfigurableTransactionManager manager
                && bean instanceof PlatformTransactionManager
                && !manager.getTransactionExecutionListeners().contains(INSTANCE)) {
            manager.addListener(INSTANCE);
        }
    }

    @Override
    public void beforeBegin(TransactionExecution transaction) {
        BEGAN_NANOS.set(TimeSource.system().monotonicNanos());
    }

    /** A savepoint, and a second manager's transaction within the first one's, belong to what has begun before. */
    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        Long beganNanos = BEGAN_NANOS.get();
        BEGAN_NANOS.remove();
        if (failure == null
                && beganNanos != null
                && transaction instanceof DefaultTransactionStatus status
                && status.isNewSynchronization()
                && status.hasTransaction()) {
            TransactionSteps.begin(beganNanos);
        }
    }
}
