package io.stampedeguard.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.CapturedLog;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionManager;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import javax.sql.XAConnection;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions of JTA: those that Spring begins, and those that it only takes part in. */
final class JtaTransactionsTest {
    private final AnnotationConfigApplicationContext context = Contexts.of(Application.class, Products.class);
    private final Products products = context.getBean(Products.class);
    private final TransactionTemplate bySpring = context.getBean(TransactionTemplate.class);
    private final TransactionManager jta = context.getBean(TransactionManager.class);

    @Configuration
    @EnableTransactionManagement
    static class Application {
        @Bean
        JtaTransactionManager transactionManager(TransactionManager jta) {
            return new JtaTransactionManager(com.arjuna.ats.jta.UserTransaction.userTransaction(), jta);
        }

        @Bean
        TransactionManager jta() {
            return com.arjuna.ats.jta.TransactionManager.transactionManager();
        }

        @Bean
        TransactionTemplate bySpring(JtaTransactionManager manager) {
            return new TransactionTemplate(manager);
        }
    }

    /** A table with one product; its changes take part in the transaction, and its loads read what is committed. */
    static class Products extends Slow implements AutoCloseable {
        private final JdbcDataSource source = new JdbcDataSource();
        private final JdbcTemplate committed = new JdbcTemplate(source);
        private final TransactionManager jta;
        private final XAConnection resource;
        private final JdbcTemplate inTransaction;

        Products(TransactionManager jta) throws SQLException {
            this.jta = jta;
            source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
            committed.execute("CREATE TABLE product (id BIGINT PRIMARY KEY, name VARCHAR)");
            committed.update("INSERT INTO product VALUES (42, 'lamp'), (43, 'chair')");
            resource = source.getXAConnection();
            inTransaction = new JdbcTemplate(new SingleConnectionDataSource(resource.getConnection(), true));
        }

        @Cacheable("products")
        public String name(long id) {
            count();
            return committed.queryForObject("SELECT name FROM product WHERE id = ?", String.class, id);
        }

        @CacheEvict(cacheNames = "products", key = "#id")
        @Transactional
        public void rename(long id, String name) {
            try {
                jta.getTransaction().enlistResource(resource.getXAResource());
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            inTransaction.update("UPDATE product SET name = ? WHERE id = ?", name, id);
        }

        @CacheEvict("products")
        public void evict(long id) {}

        @CachePut("products")
        public String put(long id) {
            return "product " + id;
        }

        @Override
        public void close() throws SQLException {
            resource.close();
            committed.execute("SHUTDOWN");
        }
    }

    @AfterEach
    void close() throws Exception {
        if (jta.getStatus() != Status.STATUS_NO_TRANSACTION) { // of a test that has failed
            jta.rollback();
        }
        context.close();
    }

    /** Returns the name as a caller outside of this thread's transaction is given it. */
    private String nameForOthers() {
        return CompletableFuture.supplyAsync(() -> products.name(42)).join();
    }

    @Test
    void changeFollowsTheCommit() {
        products.name(42);
        bySpring.executeWithoutResult(status -> {
            products.rename(42, "desk lamp");
            assertThat(nameForOthers()).isEqualTo("lamp");
            assertThat(products.calls()).as("still cached").isEqualTo(1);
        });
        assertThat(products.name(42)).isEqualTo("desk lamp");
    }

    @Test
    void rollbackDropsTheChange() {
        products.name(42);
        bySpring.executeWithoutResult(status -> {
            products.rename(42, "desk lamp");
            status.setRollbackOnly();
        });
        assertThat(products.name(42)).isEqualTo("lamp");
        assertThat(products.calls()).isEqualTo(1);
    }

    @Test
    void changeFollowsTheCommitOfATransactionThatSpringHasNotBegun() throws Exception {
        products.name(42);
        jta.begin();
        bySpring.executeWithoutResult(status -> products.rename(42, "desk lamp"));
        assertThat(nameForOthers()).isEqualTo("lamp");
        assertThat(products.calls()).as("still cached").isEqualTo(1);
        jta.commit();

        assertThat(products.name(42)).isEqualTo("desk lamp");
    }

    @Test
    void rollbackOfATransactionThatSpringHasNotBegunDropsTheChange() throws Exception {
        products.name(42);
        jta.begin();
        bySpring.executeWithoutResult(status -> products.rename(42, "desk lamp"));
        jta.rollback();

        assertThat(products.name(42)).isEqualTo("lamp");
        assertThat(products.calls()).isEqualTo(1);
    }

    @Test
    void laterScopeReadsAroundWhatAnEarlierOneHasChanged() throws Exception {
        products.name(42);
        jta.begin();
        bySpring.executeWithoutResult(status -> products.evict(42));
        bySpring.executeWithoutResult(status -> {
            products.evict(43);
            products.name(42);
        });
        assertThat(products.calls()).isEqualTo(2);
        jta.commit();

        products.name(42);
        assertThat(products.calls()).as("evicted by the commit").isEqualTo(3);
    }

    @Test
    void newTransactionBetweenTwoScopesHidesNoChange() throws Exception {
        TransactionTemplate another = new TransactionTemplate(context.getBean(JtaTransactionManager.class));
        another.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        products.name(42);
        jta.begin();
        bySpring.executeWithoutResult(status -> products.evict(42));
        another.executeWithoutResult(status -> products.name(42));
        assertThat(products.calls()).as("not changed by the other").isEqualTo(1);
        bySpring.executeWithoutResult(status -> products.name(42));
        assertThat(products.calls()).isEqualTo(2);
        jta.commit();
    }

    @Test
    void newTransactionOfAManagerThatIsNoBeanHidesNoChange() throws Exception {
        JtaTransactionManager noBean =
                new JtaTransactionManager(com.arjuna.ats.jta.UserTransaction.userTransaction(), jta);
        noBean.afterPropertiesSet();
        TransactionTemplate another = new TransactionTemplate(noBean);
        another.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        products.name(42);
        jta.begin();
        bySpring.executeWithoutResult(status -> products.evict(42));
        another.executeWithoutResult(status -> products.evict(43));
        bySpring.executeWithoutResult(status -> products.name(42));
        assertThat(products.calls()).as("read around the cache").isEqualTo(2);
        jta.commit();
    }

    @Test
    void logNamesTheReasonOnceALoadIsNotStored() throws Exception {
        products.name(42);
        try (CapturedLog log = new CapturedLog()) {
            jta.begin();
            bySpring.executeWithoutResult(status -> {
                products.name(42);
                products.put(44);
            });
            assertThat(log.warningsWith("nobody has noted when it began")).isEmpty();
            bySpring.executeWithoutResult(status -> products.name(43));
            assertThat(log.warningsWith("nobody has noted when it began"))
                    .singleElement()
                    .asString()
                    .contains("let Spring begin it if it is a transaction of JTA");
            jta.commit();
        }
    }
}
