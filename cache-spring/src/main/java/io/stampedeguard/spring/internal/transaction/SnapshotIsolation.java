package io.stampedeguard.spring.internal.transaction;

import io.stampedeguard.spring.TransactionOptions.Isolation;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Whether a transaction reads a snapshot, so that a load may return what was changed before the load began. Where the isolation level
 * is not known, as under JTA or MongoDB, or in a session of JPA, it may: then only values that have changed since the begin are not stored.
 */
final class SnapshotIsolation {
    /** {@link java.sql.Connection#TRANSACTION_NONE}, without the module of JDBC. */
    private static final int NO_TRANSACTIONS = 0;

    private static final boolean IS_JDBC_PRESENT = ClassUtils.isPresent(
            "org.springframework.jdbc.datasource.ConnectionHolder", SnapshotIsolation.class.getClassLoader());

    private final Isolation option;
    private final @Nullable JdbcIsolation jdbc;

    SnapshotIsolation(Isolation option) {
        this.option = option;
        this.jdbc = IS_JDBC_PRESENT && option == Isolation.AUTO ? new JdbcIsolation() : null;
    }

    /** Returns whether the transaction of this thread may read a snapshot. */
    boolean keepsSnapshot() {
        return switch (option) {
            case SNAPSHOT -> true;
            case STATEMENT -> false;
            case AUTO -> mayKeepSnapshot();
        };
    }

    private boolean mayKeepSnapshot() {
        Integer explicit = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
        Integer level = jdbc == null ? explicit : jdbc.level(explicit);
        return level == null
                || !(level == NO_TRANSACTIONS
                        || level == TransactionDefinition.ISOLATION_READ_UNCOMMITTED
                        || level == TransactionDefinition.ISOLATION_READ_COMMITTED);
    }
}
