package io.stampedeguard.spring.internal.transaction;

import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.h2.jdbcx.JdbcDataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A database in memory with one row, and transactions on it. */
final class Database implements AutoCloseable {
    static final String REPEATABLE_READ =
            ";INIT=SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ";

    final JdbcDataSource source = new JdbcDataSource();
    final JdbcTemplate jdbc = new JdbcTemplate(source);
    private final AbstractPlatformTransactionManager manager;

    Database() {
        this("");
    }

    Database(String settings) {
        source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1" + settings);
        manager = noted(new DataSourceTransactionManager(source));
        jdbc.execute("CREATE TABLE product (id BIGINT PRIMARY KEY, name VARCHAR)");
        jdbc.update("INSERT INTO product VALUES (42, 'lamp')");
    }

    /** Returns a manager as it is in an application context. */
    static <M extends AbstractPlatformTransactionManager> M noted(M manager) {
        new TransactionBegins().postProcessBeforeInitialization(manager, "transactionManager");
        return manager;
    }

    TransactionTemplate transactions() {
        return new TransactionTemplate(manager);
    }

    TransactionTemplate transactions(int propagation) {
        TransactionTemplate template = transactions();
        template.setPropagationBehavior(propagation);
        return template;
    }

    TransactionTemplate repeatableRead() {
        TransactionTemplate template = transactions();
        template.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
        return template;
    }

    /** Runs code in a transaction that commits. */
    void commit(Runnable code) {
        transactions().executeWithoutResult(status -> code.run());
    }

    /** Runs code in a transaction that rolls back. */
    void rollBack(Runnable code) {
        rollBack(transactions(), code);
    }

    static void rollBack(TransactionTemplate template, Runnable code) {
        Consumer<TransactionStatus> all = status -> {
            code.run();
            status.setRollbackOnly();
        };
        template.executeWithoutResult(all);
    }

    /** Runs code in another transaction, as another thread would. */
    <T> T elsewhere(Supplier<T> code) {
        return transactions(TransactionDefinition.PROPAGATION_REQUIRES_NEW).execute(status -> code.get());
    }

    String name() {
        return jdbc.queryForObject("SELECT name FROM product WHERE id = 42", String.class);
    }

    void rename(String name) {
        jdbc.update("UPDATE product SET name = ? WHERE id = 42", name);
    }

    @Override
    public void close() {
        jdbc.execute("SHUTDOWN");
    }
}
