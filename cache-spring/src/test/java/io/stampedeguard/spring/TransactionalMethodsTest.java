package io.stampedeguard.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.event.TransactionalEventListener;

/** Cached methods inside, outside, and between transactions: nobody is served what was not committed. */
final class TransactionalMethodsTest {
    private final AnnotationConfigApplicationContext context =
            new AnnotationConfigApplicationContext(Shop.class, OnAPrivateDatabase.class);
    private final Shop.Products products = context.getBean(Shop.Products.class);
    private final Shop.Scopes scopes = context.getBean(Shop.Scopes.class);

    @AfterEach
    void close() {
        context.close();
    }

    static final class OnAPrivateDatabase {
        @Bean
        DataSource source() {
            JdbcDataSource source = new JdbcDataSource();
            source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
            return source;
        }

        @Bean
        TransactionOptions options() {
            return TransactionOptions.defaults();
        }

        @Bean
        AfterCommit afterCommit(Shop.Products products) {
            return new AfterCommit(products);
        }
    }

    /** Reads what was changed, as soon as it is committed. */
    static final class AfterCommit {
        final List<String> found = new ArrayList<>();
        boolean isReading;
        private final Shop.Products products;

        AfterCommit(Shop.Products products) {
            this.products = products;
        }

        @TransactionalEventListener
        void renamed(Shop.Renamed event) {
            if (isReading) {
                found.add(products.name(event.id()));
            }
        }
    }

    /** Returns what another caller gets, who is in no transaction of this one. */
    private String served() {
        return scopes.inItsOwn(() -> products.name(42));
    }

    private void rollBack(Supplier<?> code) {
        assertThatThrownBy(() -> scopes.inTransaction(() -> {
                    throw new IllegalStateException("rolled back with " + code.get());
                }))
                .hasMessageStartingWith("rolled back with ");
    }

    private String renameTo(String name) {
        products.rename(42, name);
        return products.name(42);
    }

    @Test
    void changeOutsideIsSeenWhenItHasReturned() {
        assertThat(products.name(42)).isEqualTo("lamp");
        products.rename(42, "desk lamp");
        assertThat(products.name(42)).isEqualTo("desk lamp");
        products.renameAll("torch");
        assertThat(products.name(42)).isEqualTo("torch");
        assertThat(products.renamed(42, "lamp")).isEqualTo("lamp");
        assertThat(products.name(42)).isEqualTo("lamp");
        assertThat(products.loads()).isEqualTo(3);
    }

    @Test
    void changeIsSeenByOthersAfterTheCommitOnly() {
        assertThat(products.name(42)).isEqualTo("lamp");
        scopes.inTransaction(() -> {
            assertThat(renameTo("desk lamp")).isEqualTo("desk lamp");
            assertThat(served()).isEqualTo("lamp");
            return true;
        });
        assertThat(served()).isEqualTo("desk lamp");
    }

    @Test
    void putIsSeenByOthersAfterTheCommitOnly() {
        scopes.inTransaction(() -> {
            products.renamed(42, "desk lamp");
            assertThat(products.name(42)).isEqualTo("desk lamp");
            assertThat(served()).isEqualTo("lamp");
            return true;
        });
        int loads = products.loads();
        assertThat(served()).isEqualTo("desk lamp");
        assertThat(products.loads())
                .as("at most one: the key was loaded since the put")
                .isLessThanOrEqualTo(loads + 1);
    }

    @Test
    void transactionThatClearsSeesItsOwnRows() {
        assertThat(products.name(42)).isEqualTo("lamp");
        scopes.inTransaction(() -> {
            products.renameAll("torch");
            assertThat(products.name(42)).isEqualTo("torch");
            assertThat(served()).isEqualTo("lamp");
            return true;
        });
        assertThat(served()).isEqualTo("torch");
    }

    @Test
    void rolledBackChangeIsNeverServed() {
        assertThat(products.name(42)).isEqualTo("lamp");
        rollBack(() -> renameTo("desk lamp"));
        rollBack(() -> products.renamed(42, "desk lamp"));
        assertThat(products.name(42)).isEqualTo("lamp");
        assertThat(products.loads()).as("the entry stays").isEqualTo(2);
    }

    /** It stores nothing, so that there is nothing to take back. */
    @Test
    void readOfManyKeysThatRollsBackRemovesNothing() {
        TypedCache<Long, String> names =
                context.getBean(StampedeCacheManager.class).typed("products", Long.class, String.class);
        rollBack(() -> names.getAll(List.of(42L), ids -> {
            assertThat(served()).isEqualTo("lamp");
            return Map.of(42L, "desk lamp");
        }));
        int loads = products.loads();
        assertThat(served()).isEqualTo("lamp");
        assertThat(products.loads()).as("the entry of others stays").isEqualTo(loads);
    }

    @Test
    void rolledBackSavepointLeavesNothing() {
        scopes.inTransaction(() -> {
            assertThatThrownBy(() -> scopes.nested(() -> {
                        renameTo("desk lamp");
                        throw new IllegalStateException("rolled back");
                    }))
                    .hasMessage("rolled back");
            assertThat(products.name(42)).isEqualTo("lamp");
            return true;
        });
        assertThat(served()).isEqualTo("lamp");
    }

    @Test
    void suspendedTransactionKeepsItsChanges() {
        assertThat(products.name(42)).isEqualTo("lamp");
        rollBack(() -> {
            renameTo("desk lamp");
            assertThat(served()).isEqualTo("lamp");
            return products.name(42);
        });
        assertThat(served()).isEqualTo("lamp");
    }

    @Test
    void listenerAfterACommitFindsTheNewValue() {
        assertThat(products.name(42)).isEqualTo("lamp");
        AfterCommit listener = context.getBean(AfterCommit.class);
        listener.isReading = true;
        scopes.inTransaction(() -> renameTo("desk lamp"));
        assertThat(listener.found).containsExactly("desk lamp");
    }

    @Test
    void loadOfAnOlderSnapshotIsNotServedLater() {
        scopes.inASnapshot(() -> {
            assertThat(products.stored(42)).isEqualTo("lamp");
            scopes.inItsOwn(() -> {
                products.rename(42, "desk lamp");
                return true;
            });
            assertThat(products.name(42)).as("its own snapshot").isEqualTo("lamp");
            return true;
        });
        assertThat(products.name(42)).isEqualTo("desk lamp");
    }
}
