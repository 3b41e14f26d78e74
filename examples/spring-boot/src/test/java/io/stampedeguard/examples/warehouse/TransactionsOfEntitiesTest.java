package io.stampedeguard.examples.warehouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.testbed.RedisServer;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.OptimisticLockingFailureException;

/** Transactions of JPA that read and change cached rows, in a fleet of two: nobody else is served what was not committed. */
final class TransactionsOfEntitiesTest {
    private static final AtomicLong IDS = new AtomicLong();

    private static RedisServer redis;
    private static ConfigurableApplicationContext application;
    private static ConfigurableApplicationContext other;

    private final Warehouse warehouse = application.getBean(Warehouse.class);
    private final Items items = application.getBean(Items.class);
    private final long id = IDS.incrementAndGet();
    private final String first = "first " + id;
    private final String second = "second " + id;
    private final String third = "third " + id;

    @BeforeAll
    static void start() {
        redis = RedisServer.startProcess();
        String database = UUID.randomUUID().toString();
        application = WarehouseApplication.start(redis, database);
        other = WarehouseApplication.start(redis, database);
    }

    @AfterAll
    static void stop() {
        other.close();
        application.close();
        redis.close();
    }

    @BeforeEach
    void add() {
        warehouse.add(id, first);
    }

    private static <T> T onAnotherThread(Supplier<T> code) {
        return CompletableFuture.supplyAsync(code, task -> new Thread(task).start())
                .join();
    }

    /** Returns what others are served, in this process and in the other one. */
    private Set<String> served() {
        Set<String> found = new HashSet<>();
        found.add(onAnotherThread(() -> warehouse.name(id)));
        found.add(onAnotherThread(() -> other.getBean(Warehouse.class).name(id)));
        found.add(onAnotherThread(() -> items.findOneById(id)).orElseThrow().getName());
        found.add(onAnotherThread(() -> other.getBean(Items.class).findOneById(id))
                .orElseThrow()
                .getName());
        return found;
    }

    private static int reads() {
        return application.getBean(Statements.class).reads()
                + other.getBean(Statements.class).reads();
    }

    private void rollBack(Supplier<?> code) {
        assertThatThrownBy(() -> warehouse.inTransaction(() -> {
                    throw new IllegalStateException("rolled back with " + code.get());
                }))
                .hasMessageStartingWith("rolled back with ");
    }

    private String ownItem() {
        return items.findOneById(id).orElseThrow().getName();
    }

    @Test
    void uncommittedChangeIsServedToNobodyElse() {
        assertThat(served()).containsExactly(first);
        warehouse.inTransaction(() -> {
            warehouse.rename(id, second);
            assertThat(warehouse.name(id)).isEqualTo(second);
            assertThat(ownItem()).isEqualTo(second);
            assertThat(served()).containsExactly(first);
            return true;
        });
        assertThat(served()).containsExactly(second);
    }

    @Test
    void entriesOfOthersDuringAChangeEndWithItsCommit() {
        warehouse.inTransaction(() -> {
            warehouse.rename(id, second);
            assertThat(warehouse.name(id)).isEqualTo(second);
            assertThat(served()).as("loaded and stored").containsExactly(first);
            return true;
        });
        assertThat(served()).containsExactly(second);
    }

    @Test
    void rolledBackChangeLeavesNoValue() {
        assertThat(served()).containsExactly(first);
        int reads = reads();
        rollBack(() -> {
            warehouse.rename(id, second);
            return warehouse.renamed(id, third);
        });
        int ofTheTransaction = reads() - reads;
        assertThat(served()).containsExactly(first);
        assertThat(reads()).as("the entries stay").isEqualTo(reads + ofTheTransaction);
    }

    @Test
    void rolledBackChangeOfNewEntriesLeavesNoValue() {
        rollBack(() -> {
            warehouse.rename(id, second);
            assertThat(ownItem()).isEqualTo(second);
            return warehouse.renamed(id, third) + warehouse.name(id);
        });
        assertThat(served()).containsExactly(first);
    }

    @Test
    void entityLoadedAfterASilentChangeGoesWithTheRollback() {
        rollBack(() -> {
            warehouse.renameSilently(id, second);
            assertThat(warehouse.name(id)).isEqualTo(second);
            assertThat(ownItem()).isEqualTo(second);
            return true;
        });
        assertThat(served()).containsExactly(first);
    }

    @Test
    void putIsServedAfterTheCommitWithoutALoad() {
        assertThat(served()).containsExactly(first);
        warehouse.inTransaction(() -> {
            warehouse.renamed(id, second);
            assertThat(served()).containsExactly(first);
            return true;
        });
        int reads = reads();
        assertThat(warehouse.name(id)).isEqualTo(second);
        assertThat(reads()).isEqualTo(reads);
        assertThat(served()).containsExactly(second);
    }

    @Test
    void changesOfATransactionTakeEffectInOrder() {
        warehouse.inTransaction(() -> {
            warehouse.renamed(id, second);
            warehouse.rename(id, first);
            return warehouse.renamed(id, third);
        });
        assertThat(served()).containsExactly(third);
        warehouse.inTransaction(() -> {
            warehouse.renamed(id, second);
            warehouse.rename(id, first);
            return true;
        });
        assertThat(served()).containsExactly(first);
    }

    /** The database is told of the change, and refuses it, only when the transaction commits. */
    @Test
    void commitThatFailsLeavesNoPut() {
        String taken = "taken " + id;
        warehouse.add(-id, taken);
        assertThatThrownBy(() -> warehouse.inTransaction(() -> warehouse.renamed(id, taken)))
                .isInstanceOf(DataIntegrityViolationException.class);
        assertThat(served()).containsExactly(first);
    }

    @Test
    void putOfATransactionThatLosesTheOptimisticLockIsDropped() {
        assertThatThrownBy(() -> warehouse.inTransaction(() -> {
                    warehouse.renamed(id, second);
                    return onAnotherThread(() -> other.getBean(Warehouse.class).renamed(id, third));
                }))
                .isInstanceOf(OptimisticLockingFailureException.class);
        assertThat(served()).containsExactly(third);
    }

    @Test
    void loadOfARepeatableReadIsNotServedLater() {
        warehouse.inARepeatableRead(this::readsWhatAnotherHasChanged);
        assertThat(served()).containsExactly(second);
    }

    @Test
    void loadOfASerializableTransactionIsNotServedLater() {
        warehouse.inASerializable(this::readsWhatAnotherHasChanged);
        assertThat(served()).containsExactly(second);
    }

    private boolean readsWhatAnotherHasChanged() {
        assertThat(warehouse.stored(id)).isEqualTo(first);
        onAnotherThread(() -> {
            other.getBean(Warehouse.class).rename(id, second);
            return true;
        });
        assertThat(warehouse.name(id)).as("its own snapshot").isEqualTo(first);
        assertThat(ownItem()).isEqualTo(first);
        return true;
    }

    /** The persistence context is a snapshot, too, whatever the isolation of the database. */
    @Test
    void entityOfAnOlderPersistenceContextIsNotServedLater() {
        warehouse.inTransaction(() -> {
            assertThat(items.findById(id)).isPresent();
            onAnotherThread(() -> {
                other.getBean(Warehouse.class).rename(id, second);
                return true;
            });
            assertThat(warehouse.name(id)).as("what it has read before").isEqualTo(first);
            assertThat(ownItem()).isEqualTo(first);
            return true;
        });
        assertThat(served()).containsExactly(second);
    }
}
