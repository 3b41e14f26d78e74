package io.stampedeguard.redis.chaos;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.stampedeguard.loader.AdaptiveLoader;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.PreviousValue;
import io.stampedeguard.testbed.fleet.Message;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A process' access to the {@link ChaosDatabase}. A value is its key, a colon, and the version; loaded alone, it has its key's tag, if there
 * is one. <em>Thread-safe.</em>
 */
final class ChaosOrigin implements AdaptiveLoader<Long, String> {
    private static final int CONNECTIONS = 10;
    private static final int LONGEST_QUEUE_MILLIS = 1_000;

    private final HikariDataSource pool;
    private final Activity activity;

    ChaosOrigin(Message open, Activity activity) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(open.text("database"));
        config.setUsername(ChaosDatabase.USER);
        config.setPassword(open.text("password"));
        config.setMaximumPoolSize(CONNECTIONS);
        config.setConnectionTimeout(LONGEST_QUEUE_MILLIS);
        config.setInitializationFailTimeout(-1); // a process may start while the database is down
        this.pool = new HikariDataSource(config);
        this.activity = activity;
    }

    @Override
    public LoadedValue<String> load(Long key, @Nullable PreviousValue<String> previous) throws SQLException {
        return ChaosMember.tagged(key, loadAll(Set.of(key)).get(key));
    }

    Map<Long, String> loadAll(Set<Long> keys) throws SQLException {
        activity.query();
        String list = keys.stream().map(String::valueOf).collect(Collectors.joining(","));
        Map<Long, String> values = new HashMap<>();
        try (Connection connection = pool.getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("SELECT id, version FROM item WHERE id IN (" + list + ")");
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                values.put(rows.getLong(1), value(rows.getLong(1), rows.getLong(2)));
            }
        }
        return values;
    }

    /** Writes the version after the last one, and returns it. If this throws, it may have been written nevertheless. */
    long write(long key) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(
                        "SELECT version FROM FINAL TABLE (UPDATE item SET version = version + 1 WHERE id = ?)")) {
            statement.setLong(1, key);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        }
    }

    static String value(long key, long version) {
        return key + ":" + version;
    }

    /** Returns the version in a value; throws if it is the value of another key. */
    static long versionIn(String value, long key) {
        String[] parts = value.split(":", -1);
        if (Long.parseLong(parts[0]) != key) {
            throw new IllegalStateException("the value of " + key + " is " + value);
        }
        return Long.parseLong(parts[1]);
    }
}
