package io.stampedeguard.spring.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.spring.TransactionOptions;
import io.stampedeguard.testkit.ClassPath;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Spring's transactions, its JDBC, and JTA are optional. */
final class TransactionJarsTest {
    /** Changes and loads without a transaction. */
    public static final class Outside implements Callable<Object> {
        @Override
        public Object call() {
            Transactions transactions = Transactions.of(TransactionOptions.defaults());
            List<String> made = new ArrayList<>();
            transactions.change("products", Change.ofKey("1"), () -> made.add("evict 1"));
            transactions.loaded("products", "1", () -> made.add("remove 1"));
            made.add(transactions.access("products", "1").toString());
            made.add(new TransactionBegins()
                    .postProcessBeforeInitialization("bean", "name")
                    .toString());
            return String.join(", ", made);
        }
    }

    /** A transaction that is none of a {@code DataSource}. */
    public static final class Inside implements Callable<Object> {
        @Override
        public Object call() {
            Transactions transactions = Transactions.of(TransactionOptions.defaults());
            WithoutResource manager = new WithoutResource();
            new TransactionBegins().postProcessBeforeInitialization(manager, "manager");
            List<String> made = new ArrayList<>();
            new TransactionTemplate(manager).executeWithoutResult(status -> {
                transactions.change("products", Change.ofKey("1"), () -> made.add("evict 1"));
                Access access = transactions.access("products", "2");
                made.add(access.snapshotBegin() == null ? "statement" : "snapshot");
            });
            return String.join(", ", made);
        }
    }

    /** A transaction whose manager is no bean, with a callback of the application. */
    public static final class Unnoted implements Callable<Object> {
        @Override
        public Object call() {
            Transactions transactions = Transactions.of(TransactionOptions.defaults());
            List<String> made = new ArrayList<>();
            new TransactionTemplate(new WithoutResource()).executeWithoutResult(status -> {
                transactions.change("products", Change.ofKey("1"), () -> made.add("evict 1"));
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        made.add("callback");
                    }
                });
            });
            return String.join(", ", made);
        }
    }

    @Test
    void withoutTransactionsAllIsAtOnce() throws Exception {
        assertThat(ClassPath.call(Outside.class, ClassPath.without("spring-(tx|jdbc)-.*")))
                .isEqualTo("evict 1, Access[mayLookUp=true, mayStore=true, snapshotBegin=null, maxWait=null], bean");
    }

    @Test
    void transactionsNeedNoJdbc() throws Exception {
        assertThat(ClassPath.call(Inside.class, ClassPath.without("spring-jdbc-.*")))
                .isEqualTo("snapshot, evict 1");
    }

    @Test
    void withoutJtaChangesPrecedeCallbacksOfUnnotedTransactions() throws Exception {
        assertThat(ClassPath.call(Unnoted.class, ClassPath.without("jakarta\\.transaction-api-.*")))
                .isEqualTo("evict 1, callback");
    }
}
