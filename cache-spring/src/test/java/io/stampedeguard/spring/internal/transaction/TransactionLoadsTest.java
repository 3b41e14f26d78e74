package io.stampedeguard.spring.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_NESTED;

import io.stampedeguard.spring.TransactionOptions;
import io.stampedeguard.spring.TransactionOptions.Loads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionTemplate;

/** What a transaction has loaded, or has written, is nobody else's before it commits, and never if it rolls back. */
final class TransactionLoadsTest {
    private final Database database = new Database();
    private final CachedProducts products = new CachedProducts(database, TransactionOptions.defaults());

    @AfterEach
    void close() {
        products.close();
        database.close();
    }

    @Test
    void loadsAreStoredOutsideOfATransaction() {
        assertThat(products.name()).isEqualTo("lamp");
        assertThat(products.cached()).isEqualTo("lamp");
    }

    @Test
    void loadsOfACommittedTransactionStay() {
        database.commit(products::name);
        assertThat(products.cached()).isEqualTo("lamp");
    }

    @Test
    void rolledBackValueIsRemoved() {
        database.rollBack(() -> {
            database.rename("desk lamp");
            assertThat(products.name()).isEqualTo("desk lamp");
        });
        assertThat(products.cached()).isNull();
        assertThat(products.name()).isEqualTo("lamp");
    }

    @Test
    void valueOfARolledBackSavepointIsRemoved() {
        database.commit(() -> {
            Database.rollBack(database.transactions(PROPAGATION_NESTED), () -> {
                database.rename("desk lamp");
                assertThat(products.name()).isEqualTo("desk lamp");
            });
            assertThat(products.cached()).isNull();
            assertThat(products.name()).isEqualTo("lamp");
        });
        assertThat(products.cached()).isEqualTo("lamp");
    }

    @Test
    void changedKeyIsReadAroundTheCache() {
        products.name();
        database.commit(() -> {
            database.rename("desk lamp");
            products.evict();
            assertThat(products.name()).isEqualTo("desk lamp");
            assertThat(products.cached()).isEqualTo("lamp");
        });
        assertThat(products.cached()).isNull();
        assertThat(products.name()).isEqualTo("desk lamp");
    }

    @Test
    void transactionThatClearsSeesNoOlderEntry() {
        products.name();
        database.commit(() -> {
            database.rename("desk lamp");
            products.clear();
            assertThat(products.name()).isEqualTo("desk lamp");
            assertThat(products.cached()).isEqualTo("lamp");
        });
        assertThat(products.cached()).isNull();
    }

    @Test
    void uncommittedPutIsServedToNobody() {
        products.name();
        database.rollBack(() -> {
            database.rename("desk lamp");
            products.put("desk lamp");
            assertThat(products.name()).isEqualTo("desk lamp");
            assertThat(products.cached()).isEqualTo("lamp");
        });
        assertThat(products.cached()).isEqualTo("lamp");
        database.commit(() -> {
            database.rename("desk lamp");
            products.put("desk lamp");
        });
        assertThat(products.cached()).isEqualTo("desk lamp");
    }

    /** A list that has the changed row is another key, of which the cache knows nothing. */
    @Test
    void nothingIsStoredAfterTheFirstChange() {
        database.commit(() -> {
            database.rename("desk lamp");
            products.transactions.change("lists", Change.ofAll(), () -> {});
            assertThat(products.name()).isEqualTo("desk lamp");
            assertThat(products.cached()).isNull();
        });
    }

    @Test
    void innerTransactionStoresWhatIsCommitted() {
        database.commit(() -> {
            database.rename("desk lamp");
            products.evict();
            assertThat(database.elsewhere(products::name)).isEqualTo("lamp");
            assertThat(products.cached()).isEqualTo("lamp");
        });
        assertThat(products.cached()).isNull();
    }

    @Test
    void readOnlyTransactionStoresWhatItLoads() {
        TransactionTemplate readOnly = database.transactions();
        readOnly.setReadOnly(true);
        Database.rollBack(readOnly, products::name);
        assertThat(products.cached()).isEqualTo("lamp");
    }

    @Test
    void loadsBypassTheCacheIfAsked() {
        try (CachedProducts bypassing = new CachedProducts(database, with(Loads.BYPASS))) {
            database.commit(() -> assertThat(bypassing.name()).isEqualTo("lamp"));
            assertThat(bypassing.cached()).isNull();
            assertThat(bypassing.name()).isEqualTo("lamp");
            assertThat(bypassing.cached()).isEqualTo("lamp");
        }
    }

    @Test
    void loadsAreStoredForGoodIfAsked() {
        try (CachedProducts storing = new CachedProducts(database, with(Loads.STORE))) {
            database.rollBack(() -> storing.name());
            assertThat(storing.cached()).isEqualTo("lamp");
        }
    }

    private static TransactionOptions with(Loads loads) {
        TransactionOptions defaults = TransactionOptions.defaults();
        return new TransactionOptions(loads, defaults.changes(), defaults.isolation(), defaults.maxWait());
    }
}
