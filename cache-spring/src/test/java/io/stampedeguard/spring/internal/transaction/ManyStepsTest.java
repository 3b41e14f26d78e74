package io.stampedeguard.spring.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.spring.TransactionOptions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A transaction remembers a limited number of steps: a clear does what the others would. */
final class ManyStepsTest {
    private static final int MOST = 10_000;

    private final Database database = new Database();
    private final Transactions transactions = Transactions.of(TransactionOptions.defaults());
    private final List<String> made = new ArrayList<>();

    @AfterEach
    void close() {
        database.close();
    }

    private void evict(int count) {
        evict(count, transactions, "evict", "clear");
    }

    private void evict(int count, Transactions manager, String evict, String clear) {
        for (int i = 0; i < count; i++) {
            manager.change("products", Change.ofKey("key " + i).orClear(() -> made.add(clear)), () -> made.add(evict));
        }
    }

    private void load(int count) {
        for (int i = 0; i < count; i++) {
            transactions.loaded("products", "key " + i, () -> made.add("remove"), () -> made.add("clear"));
        }
    }

    @Test
    void clearReplacesChangesThatAreTooMany() {
        database.commit(() -> {
            evict(MOST + 5);
            assertThat(transactions.hasChanged("products", "key " + (MOST + 4))).isTrue();
        });

        assertThat(made).hasSize(MOST + 1).endsWith("evict", "clear").containsOnlyOnce("clear");
    }

    /** Each manager of caches has its own view of a transaction. */
    @Test
    void cachesOfOneNameAreCountedForEachManager() {
        Transactions other = Transactions.of(TransactionOptions.defaults());
        database.commit(() -> {
            evict(MOST);
            assertThat(other.hasChanged("products", "key 0")).isFalse();
            evict(1, other, "evict of the other", "clear of the other");
            evict(1);
        });

        assertThat(made).hasSize(MOST + 2).endsWith("evict", "evict of the other", "clear");
    }

    @Test
    void savepointRestoresTheNumberOfSteps() {
        database.transactions().executeWithoutResult(status -> {
            evict(MOST - 1);
            Object savepoint = status.createSavepoint();
            evict(MOST);
            status.rollbackToSavepoint(savepoint);
            made.clear();
            evict(1);
        });

        assertThat(made).hasSize(MOST).containsOnly("evict");
    }

    @Test
    void manyLoadsAreClearedByARollbackOnly() {
        database.commit(() -> load(MOST + 5));
        assertThat(made).isEmpty();
        database.rollBack(() -> load(MOST + 5));

        assertThat(made).hasSize(MOST + 1).containsOnlyOnce("clear");
    }
}
