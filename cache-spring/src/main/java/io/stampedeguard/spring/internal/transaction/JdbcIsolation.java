package io.stampedeguard.spring.internal.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The isolation levels of transactions on {@code DataSource}s. The default level of each is asked once, on the connection that the
 * transaction has: a second one might not be there. <em>Thread-safe.</em>
 */
final class JdbcIsolation {
    private final Map<DataSource, Integer> defaults = new ConcurrentHashMap<>();

    /**
     * Returns the level of this thread's transaction.
     *
     * @param explicit the level with which the transaction was begun; {@code null} for the default one
     * @return {@code null} if it is not known: without a connection; with two, since only one of them has the explicit level; with
     *     another resource, such as a session of JPA or MyBatis, which returns what it has read before
     */
    @Nullable
    Integer level(@Nullable Integer explicit) {
        DataSource only = null;
        for (Map.Entry<Object, Object> each :
                TransactionSynchronizationManager.getResourceMap().entrySet()) {
            if (each.getKey() instanceof DataSource source && each.getValue() instanceof ConnectionHolder holder) {
                if (only != null || holder.getConnectionHandle() == null) {
                    return null;
                }
                only = source;
            } else if (!(each.getValue() instanceof TransactionSteps)) {
                return null;
            }
        }
        return explicit != null || only == null ? explicit : defaultOf(only);
    }

    private @Nullable Integer defaultOf(DataSource source) {
        Integer level = defaults.get(source);
        if (level == null) {
            level = ask(source);
            if (level != null) {
                defaults.put(source, level);
            }
        }
        return level;
    }

    private static @Nullable Integer ask(DataSource source) {
        Connection connection = null;
        try {
            connection = DataSourceUtils.getConnection(source);
            return connection.getTransactionIsolation();
        } catch (SQLException | CannotGetJdbcConnectionException e) {
            return null; // asked again in the next transaction
        } finally {
            DataSourceUtils.releaseConnection(connection, source);
        }
    }
}
