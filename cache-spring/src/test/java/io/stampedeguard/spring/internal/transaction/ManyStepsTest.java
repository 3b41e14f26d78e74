package io.stampedeguard.spring.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_NESTED;

import io.stampedeguard.spring.TransactionOptions;
import io.stampedeguard.spring.TransactionOptions.Changes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A transaction remembers a limited number of steps: a clear does what further changes would, and further loads are not stored. */
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
            transactions.loaded("products", "key " + i, () -> made.add("remove"));
        }
    }

    private boolean mayStore() {
        return transactions.access("products", "another key").mayStore();
    }

    @Test
    void clearReplacesChangesThatAreTooMany() {
        database.commit(() -> {
            evict(MOST + 5);
            assertThat(transactions.access("products", "key " + (MOST + 4)).mayLookUp())
                    .isFalse();
        });

        assertThat(made).hasSize(MOST + 1).endsWith("evict", "clear").containsOnlyOnce("clear");
    }

    @Test
    void rollbackDropsChangesThatAreTooMany() {
        database.rollBack(() -> evict(MOST + 5));

        assertThat(made).isEmpty();
    }

    /** Each manager of caches has its own view of a transaction. */
    @Test
    void cachesOfOneNameAreCountedForEachManager() {
        Transactions other = Transactions.of(TransactionOptions.defaults());
        database.commit(() -> {
            evict(MOST);
            assertThat(other.access("products", "key 0").mayLookUp()).isTrue();
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
            assertThat(made).isEmpty();
            evict(1);
        });

        assertThat(made).hasSize(MOST).containsOnly("evict");
    }

    @Test
    void loadsAreStoredWhileARollbackCanRemoveThem() {
        database.rollBack(() -> {
            load(MOST - 1);
            assertThat(mayStore()).isTrue();
            load(1);
            assertThat(mayStore()).isFalse();
        });

        assertThat(made).hasSize(MOST).containsOnly("remove");
    }

    @Test
    void loadAfterManyOthersIsNotLeftByARolledBackSavepoint() {
        try (CachedProducts products = new CachedProducts(database, TransactionOptions.defaults())) {
            database.commit(() -> {
                load(MOST + 5);
                Database.rollBack(database.transactions(PROPAGATION_NESTED), () -> {
                    database.rename("desk lamp");
                    assertThat(products.name()).isEqualTo("desk lamp");
                });
                assertThat(products.cached()).isNull();
            });
            assertThat(products.name()).isEqualTo("lamp");
        }
    }

    @Test
    void rolledBackSavepointMakesRoomForLoads() {
        database.transactions().executeWithoutResult(status -> {
            load(MOST - 1);
            Object savepoint = status.createSavepoint();
            load(1);
            status.rollbackToSavepoint(savepoint);
            assertThat(mayStore()).isTrue();
        });

        assertThat(made).containsExactly("remove");
    }

    /** There would be too many to be removed by a rollback. */
    @Test
    void immediatePutsThatAreTooManyRemoveTheirKeys() {
        TransactionOptions defaults = TransactionOptions.defaults();
        Transactions immediate = Transactions.of(
                new TransactionOptions(defaults.loads(), Changes.IMMEDIATE, defaults.isolation(), defaults.maxWait()));
        database.transactions().executeWithoutResult(status -> {
            put(MOST + 1, immediate);
            assertThat(made).hasSize(MOST + 1).endsWith("put", "remove");
            Object savepoint = status.createSavepoint();
            put(1, immediate);
            status.rollbackToSavepoint(savepoint);
            assertThat(made).hasSize(MOST + 2).endsWith("remove", "remove");
        });

        assertThat(made).hasSize(MOST + 3).endsWith("clear");
    }

    private void put(int count, Transactions manager) {
        for (int i = 0; i < count; i++) {
            Change put = Change.put("key " + i, () -> made.add("remove"));
            manager.change("products", put.orClear(() -> made.add("clear")), () -> made.add("put"));
        }
    }
}
