package io.stampedeguard.redis.traps;

import static io.stampedeguard.testkit.Fleet.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.EventType;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisFleet;
import io.stampedeguard.testkit.Callers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Trap 13: a load in a transaction from before an invalidation. Its lease is valid, since it was granted afterwards, and it reads the
 * row as it was when its transaction began, in a database with snapshots.
 */
final class OldSnapshotTrapTest {
    private static final int ROUNDS = 20;

    @AutoClose
    private final RedisFleet fleet = new RedisFleet(
            2, CachePolicy.builder().changeMemory(Duration.ofMinutes(1)).build());

    private final String url = "jdbc:h2:mem:" + fleet.name();

    @AutoClose
    private Connection writer;

    @AutoClose
    private Connection transaction;

    private Instant begin = Instant.now();

    @BeforeEach
    void createDatabase() throws SQLException {
        writer = DriverManager.getConnection(url);
        transaction = DriverManager.getConnection(url);
        execute(writer, "CREATE TABLE product (id INT PRIMARY KEY, name VARCHAR(20))");
        execute(writer, "INSERT INTO product VALUES (1, 'old'), (2, 'another')");
        transaction.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        transaction.setAutoCommit(false);
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String name(Connection connection, int id) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT name FROM product WHERE id = " + id)) {
            rows.next();
            return rows.getString(1);
        }
    }

    /** Begins a transaction, which reads something else; after that, the row is changed, and its key invalidated. */
    private void beginAndChange(int round) throws SQLException {
        execute(writer, "UPDATE product SET name = 'old " + round + "' WHERE id = 1");
        fleet.cache(1).invalidate("1");
        begin = Instant.now();
        assertThat(name(transaction, 2)).isEqualTo("another");
        execute(writer, "UPDATE product SET name = 'new " + round + "' WHERE id = 1");
        fleet.cache(1).invalidate("1");
    }

    private synchronized String fresh(String key) throws SQLException {
        return name(writer, 1);
    }

    private LoadedValue<String> inTransaction() throws SQLException {
        return LoadedValue.of(name(transaction, 1)).asOf(begin);
    }

    @Test
    void withoutATimeTheOldValueIsStoredUnderAValidLease() throws SQLException {
        for (int round = 1; round <= ROUNDS; round++) {
            beginAndChange(round);
            assertThat(fleet.cache(0).get("1", key -> name(transaction, 1))).isEqualTo("old " + round);
            transaction.commit();

            assertThat(fleet.cache(1).get("1", this::fresh)).isEqualTo("old " + round);
        }
        assertThat(fleet.listener().count(EventType.LOAD_FENCED)).isZero();
    }

    @Test
    void withATimeTheOldValueAnswersOnlyItsOwnCaller() throws SQLException {
        for (int round = 1; round <= ROUNDS; round++) {
            beginAndChange(round);
            assertThat(fleet.cache(0).get("1", Loader.adaptive((key, previous) -> inTransaction())))
                    .isEqualTo("old " + round);
            transaction.commit();
            assertThat(fleet.redis().exists(fleet.valueKey("1"))).isFalse();

            assertThat(fleet.cache(1).get("1", this::fresh)).isEqualTo("new " + round);
            assertThat(fleet.cache(0).get("1", this::fresh)).isEqualTo("new " + round);
        }
        assertThat(fleet.listener().count(EventType.LOAD_FENCED)).isEqualTo(ROUNDS);
    }

    @Test
    void callersWhoWaitForItGetTheNewValue() throws Exception {
        beginAndChange(1);
        Callers.Call<?>[] waiting = new Callers.Call<?>[2];

        String own = fleet.cache(0).get("1", Loader.adaptive((key, previous) -> {
            waiting[0] = fleet.callers().call(() -> fleet.cache(0).get("1", this::fresh));
            waiting[1] = fleet.callers().call(() -> fleet.cache(1).get("1", this::fresh));
            until(() -> fleet.cache(0).explain("1").waiters() == 1
                    && fleet.redis().getrange(fleet.leaseKey("1"), 16, 16).equals("0")); // somebody may wait
            return inTransaction();
        }));

        assertThat(own).isEqualTo("old 1");
        assertThat(waiting[0].result()).isEqualTo("new 1");
        assertThat(waiting[1].result()).isEqualTo("new 1");
    }

    @Test
    void transactionFromAfterTheChangeIsStoredSoonAfterIt() throws SQLException {
        beginAndChange(1);
        transaction.commit();

        until(() -> {
            fleet.cache(0).get("1", Loader.adaptive((key, previous) -> {
                begin = Instant.now();
                String name = name(transaction, 1);
                transaction.commit();
                return LoadedValue.of(name).asOf(begin);
            }));
            return fleet.redis().exists(fleet.valueKey("1"));
        });

        assertThat(fleet.cache(1).get("1", this::fresh)).isEqualTo("new 1");
    }

    @Test
    void processWithAnotherClockIsComparedByThatOfRedis() throws SQLException {
        for (Duration skew : new Duration[] {Duration.ofHours(1), Duration.ofHours(-1)}) {
            StampedeGuardedCache<String, String> skewed = fleet.join(skew, store -> store);
            beginAndChange(1);
            begin = begin.plus(skew);
            assertThat(skewed.get("1", Loader.adaptive((key, previous) -> inTransaction())))
                    .isEqualTo("old 1");
            transaction.commit();

            assertThat(fleet.cache(1).get("1", this::fresh)).isEqualTo("new 1");
        }
    }
}
