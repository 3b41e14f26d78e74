package io.stampedeguard.spring.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.spring.TransactionOptions;
import io.stampedeguard.spring.TransactionOptions.Isolation;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What a transaction reads from a snapshot is never served after a change that the snapshot lacks. */
final class TransactionSnapshotTest {
    private final Transactions transactions = Transactions.of(TransactionOptions.defaults());

    private static @Nullable Instant begin(Transactions transactions) {
        return transactions.access("products", "1").snapshotBegin();
    }

    private static boolean mayStore(Transactions transactions) {
        return transactions.access("products", "1").mayStore();
    }

    @Test
    void readCommittedKeepsNoSnapshot() {
        try (Database database = new Database()) {
            database.commit(() -> assertThat(begin(transactions)).isNull());
            assertThat(begin(transactions)).isNull();
        }
    }

    @Test
    void explicitLevelsAreKnown() {
        try (Database database = new Database()) {
            database.repeatableRead()
                    .executeWithoutResult(
                            status -> assertThat(begin(transactions)).isNotNull());
            TransactionTemplate serializable = database.transactions();
            serializable.setIsolationLevel(TransactionDefinition.ISOLATION_SERIALIZABLE);
            serializable.executeWithoutResult(
                    status -> assertThat(begin(transactions)).isNotNull());
        }
    }

    @Test
    void dataSourceIsAskedForItsDefaultOnce() {
        try (Database database = new Database(Database.REPEATABLE_READ)) {
            Watched watched = new Watched(database.source);
            TransactionTemplate template =
                    new TransactionTemplate(Database.noted(new DataSourceTransactionManager(watched)));
            for (int i = 0; i < 3; i++) {
                template.executeWithoutResult(
                        status -> assertThat(begin(transactions)).isNotNull());
            }
            assertThat(watched.questions).hasValue(1);
            assertThat(watched.given).hasSize(3);
        }
    }

    @Test
    void beginIsNotedBeforeTheTransactionHasAConnection() {
        try (Database database = new Database()) {
            Watched watched = new Watched(database.source);
            TransactionTemplate template =
                    new TransactionTemplate(Database.noted(new DataSourceTransactionManager(watched)));
            template.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
            template.executeWithoutResult(
                    status -> assertThat(begin(transactions)).isBeforeOrEqualTo(watched.given.get(0)));
        }
    }

    /** Notes when it gives a connection, and how often one of them is asked for its isolation. */
    private static final class Watched extends DelegatingDataSource {
        final List<Instant> given = new ArrayList<>();
        final AtomicInteger questions = new AtomicInteger();

        Watched(DataSource source) {
            super(source);
        }

        @Override
        public Connection getConnection() throws SQLException {
            given.add(Instant.now());
            Connection connection = super.getConnection();
            return (Connection) Proxy.newProxyInstance(
                    Connection.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("getTransactionIsolation")) {
                            questions.incrementAndGet();
                        }
                        return method.invoke(connection, arguments);
                    });
        }
    }

    @Test
    void innerTransactionHasABeginAsWell() {
        try (Database database = new Database(Database.REPEATABLE_READ)) {
            database.commit(() -> {
                // Both are estimates, and may be too early by any pause of this thread: they do not compare.
                Instant inner = database.elsewhere(() -> begin(transactions));
                assertThat(inner).isNotNull();
                assertThat(begin(transactions)).isNotNull();
            });
        }
    }

    @Test
    void loadOfASnapshotIsNotServedAfterAChange() {
        try (Database database = new Database();
                CachedProducts products = new CachedProducts(database, TransactionOptions.defaults())) {
            database.repeatableRead().executeWithoutResult(status -> {
                assertThat(database.name()).isEqualTo("lamp"); // the snapshot
                database.elsewhere(() -> {
                    database.rename("desk lamp");
                    products.evict();
                    return true;
                });
                assertThat(products.name()).isEqualTo("lamp");
                assertThat(products.cached()).isNull();
            });
            assertThat(products.name()).isEqualTo("desk lamp");
        }
    }

    @Test
    void loadOfAnUnchangedKeyIsStored() {
        try (Database database = new Database();
                CachedProducts products = new CachedProducts(database, TransactionOptions.defaults())) {
            database.repeatableRead().executeWithoutResult(status -> products.name());
            assertThat(products.cached()).isEqualTo("lamp");
        }
    }

    @Test
    void nothingIsStoredOfASnapshotWithAnUnknownBegin() {
        try (Database database = new Database();
                CachedProducts products = new CachedProducts(database, TransactionOptions.defaults())) {
            TransactionTemplate unnoted = new TransactionTemplate(new DataSourceTransactionManager(database.source));
            unnoted.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
            unnoted.setReadOnly(true);
            unnoted.executeWithoutResult(status -> {
                assertThat(mayStore(products.transactions)).isFalse();
                products.transactions.change("other", Change.ofAll(), () -> {});
                assertThat(mayStore(products.transactions)).isFalse();
                assertThat(products.name()).isEqualTo("lamp");
            });
            assertThat(products.cached()).isNull();
        }
    }

    @Test
    void unnotedTransactionOfCommittedReadsIsLikeAnyOther() {
        try (Database database = new Database();
                CachedProducts products = new CachedProducts(database, TransactionOptions.defaults())) {
            TransactionTemplate unnoted = new TransactionTemplate(new DataSourceTransactionManager(database.source));
            unnoted.executeWithoutResult(status -> products.name());
            assertThat(products.cached()).isEqualTo("lamp");
            Database.rollBack(unnoted, () -> {
                products.evict();
                products.name();
            });
            assertThat(products.cached()).isEqualTo("lamp");
        }
    }

    /** The next statement after the commit begins another snapshot. */
    @Test
    void callbackAfterACommitReadsALaterSnapshot() {
        List<Instant> begins = new ArrayList<>();
        try (Database database = new Database()) {
            database.repeatableRead().executeWithoutResult(status -> {
                begins.add(begin(transactions));
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        begins.add(begin(transactions));
                        assertThat(mayStore(transactions)).isTrue();
                    }

                    @Override
                    public void afterCompletion(int status) {
                        assertThat(mayStore(transactions)).isFalse();
                        begins.add(Instant.MAX);
                    }
                });
            });
        }
        assertThat(begins).doesNotContainNull().hasSize(3).isSorted();
    }

    @Test
    void optionDecidesWithoutLookingAtTheTransaction() {
        Transactions never = Transactions.of(with(Isolation.STATEMENT));
        Transactions always = Transactions.of(with(Isolation.SNAPSHOT));
        try (Database database = new Database()) {
            database.commit(() -> assertThat(begin(always)).isNotNull());
            database.repeatableRead()
                    .executeWithoutResult(status -> assertThat(begin(never)).isNull());
        }
    }

    private static TransactionOptions with(Isolation isolation) {
        TransactionOptions defaults = TransactionOptions.defaults();
        return new TransactionOptions(defaults.loads(), defaults.changes(), isolation, defaults.maxWait());
    }

    /** Such as those of MongoDB, or of JTA: nothing is known of what they keep. */
    @Test
    void transactionWithoutADataSourceMayKeepASnapshot() {
        List<String> made = new ArrayList<>();
        new TransactionTemplate(Database.noted(new WithoutResource())).executeWithoutResult(status -> {
            assertThat(begin(transactions)).isNotNull();
            assertThat(mayStore(transactions)).isTrue();
            transactions.change("products", Change.ofKey("1"), () -> made.add("evict 1"));
            assertThat(made).isEmpty();
        });
        assertThat(made).containsExactly("evict 1");
    }

    /** As those of JPA and MyBatis, whose resources stand beside the connection. */
    @Test
    void sessionMayKeepWhatItHasRead() {
        try (Database database = new Database()) {
            database.commit(() -> {
                TransactionSynchronizationManager.bindResource("factory", "session");
                assertThat(begin(transactions)).isNotNull();
                TransactionSynchronizationManager.unbindResource("factory");
                assertThat(begin(transactions)).isNull();
            });
        }
    }
}
