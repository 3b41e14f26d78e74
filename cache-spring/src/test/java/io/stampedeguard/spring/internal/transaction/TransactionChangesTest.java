package io.stampedeguard.spring.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_NESTED;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_NOT_SUPPORTED;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_REQUIRES_NEW;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_SUPPORTS;

import io.stampedeguard.spring.TransactionOptions;
import io.stampedeguard.spring.TransactionOptions.Changes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;
import org.springframework.transaction.support.TransactionTemplate;

/** Changes take effect after the commit, in their order, or never. */
final class TransactionChangesTest {
    private final Database database = new Database();
    private final Transactions transactions = Transactions.of(TransactionOptions.defaults());
    private final List<String> made = new ArrayList<>();

    @AfterEach
    void close() {
        database.close();
    }

    private void evict(String key) {
        transactions.change("products", Change.ofKey(key), () -> made.add("evict " + key));
    }

    private void put(String key) {
        transactions.change("products", Change.put(key, () -> made.add("remove " + key)), () -> made.add("put " + key));
    }

    private void clear() {
        transactions.change("products", Change.ofAll(), () -> made.add("clear"));
    }

    private boolean hasChanged(String key) {
        return !transactions.access("products", key).mayLookUp();
    }

    @Test
    void changesOutsideOfATransactionTakeEffectAtOnce() {
        evict("1");
        assertThat(made).containsExactly("evict 1");
        assertThat(hasChanged("1")).isFalse();
    }

    @Test
    void changesFollowTheCommitInTheirOrder() {
        database.commit(() -> {
            evict("1");
            put("2");
            transactions.change("prices", Change.ofAll(), () -> made.add("tag"));
            clear();
            put("1");
            assertThat(made).isEmpty();
        });
        assertThat(made).containsExactly("evict 1", "put 2", "tag", "clear", "put 1");
    }

    @Test
    void rollbackDropsChanges() {
        database.rollBack(() -> {
            put("1");
            clear();
        });
        assertThat(made).isEmpty();
        assertThat(hasChanged("1")).isFalse();
    }

    @Test
    void onlyChangedKeysHaveChanged() {
        database.commit(() -> {
            assertThat(hasChanged("1")).isFalse();
            evict("1");
            put("2");
            assertThat(hasChanged("1")).isTrue();
            assertThat(hasChanged("2")).isTrue();
            assertThat(hasChanged("3")).isFalse();
            assertThat(transactions.access("prices", "1").mayLookUp()).isTrue();
        });
        assertThat(hasChanged("1")).isFalse();
    }

    @Test
    void clearAndTagChangeAllKeysOfTheirCache() {
        database.commit(() -> {
            clear();
            assertThat(hasChanged("3")).isTrue();
            assertThat(transactions.access("prices", "1").mayLookUp()).isTrue();
            transactions.change("prices", Change.ofAll(), () -> {});
            assertThat(transactions.access("prices", "1").mayLookUp()).isFalse();
        });
    }

    @Test
    void nothingIsThrownAfterACommit() {
        database.commit(() -> {
            evict("1");
            transactions.change("products", Change.ofKey("2"), () -> {
                throw new IllegalStateException("the cache is closed");
            });
            transactions.change("products", Change.ofKey("3"), () -> {
                throw new AssertionError("a listener has failed");
            });
            evict("4");
        });
        assertThat(made).containsExactly("evict 1", "evict 4");
    }

    @Test
    void removalThatFailsAtOnceStillFollowsTheCommit() {
        database.commit(() -> assertThatThrownBy(() -> transactions.changeNow("products", Change.ofKey("1"), () -> {
                    made.add("evict 1");
                    throw new IllegalStateException("the store does not answer"); // an error handler may go on
                }))
                .hasMessage("the store does not answer"));
        assertThat(made).containsExactly("evict 1", "evict 1");
    }

    @Test
    void rolledBackSavepointDropsItsChangesOnly() {
        database.commit(() -> {
            evict("1");
            Database.rollBack(database.transactions(PROPAGATION_NESTED), () -> {
                evict("2");
                assertThat(hasChanged("1")).isTrue();
                assertThat(hasChanged("2")).isTrue();
            });
            assertThat(hasChanged("1")).isTrue();
            assertThat(hasChanged("2")).isFalse();
            evict("3");
        });
        assertThat(made).containsExactly("evict 1", "evict 3");
    }

    @Test
    void savepointsWithinARolledBackOneAreRolledBackAsWell() {
        database.commit(() -> {
            Database.rollBack(database.transactions(PROPAGATION_NESTED), () -> {
                evict("1");
                database.transactions(PROPAGATION_NESTED).executeWithoutResult(inner -> evict("2"));
            });
            assertThat(hasChanged("2")).isFalse();
        });
        assertThat(made).isEmpty();
    }

    @Test
    void releasedSavepointKeepsItsChanges() {
        database.commit(() -> database.transactions(PROPAGATION_NESTED).executeWithoutResult(inner -> evict("1")));
        assertThat(made).containsExactly("evict 1");
    }

    @Test
    void savepointCanBeRolledBackToTwice() {
        database.transactions().executeWithoutResult(status -> {
            evict("1");
            Object savepoint = status.createSavepoint();
            evict("2");
            status.rollbackToSavepoint(savepoint);
            evict("3");
            status.rollbackToSavepoint(savepoint);
            evict("4");
        });
        assertThat(made).containsExactly("evict 1", "evict 4");
    }

    /** Its manager is no bean, so that the first change comes after the savepoint. */
    @Test
    void savepointThatIsOlderThanTheFirstChangeDropsAll() {
        new TransactionTemplate(new DataSourceTransactionManager(database.source)).executeWithoutResult(status -> {
            Object savepoint = status.createSavepoint();
            evict("1");
            status.rollbackToSavepoint(savepoint);
        });
        assertThat(made).isEmpty();
    }

    @Test
    void innerTransactionSeesItsOwnChangesOnly() {
        database.rollBack(() -> {
            evict("1");
            database.transactions(PROPAGATION_REQUIRES_NEW).executeWithoutResult(inner -> {
                assertThat(hasChanged("1")).isFalse();
                evict("2");
                assertThat(hasChanged("2")).isTrue();
            });
            assertThat(made).containsExactly("evict 2");
            assertThat(hasChanged("1")).isTrue();
            assertThat(hasChanged("2")).isFalse();
        });
        assertThat(made).containsExactly("evict 2");
    }

    @Test
    void outerTransactionGoesOnAfterAnInnerRollback() {
        database.commit(() -> {
            evict("1");
            Database.rollBack(database.transactions(PROPAGATION_REQUIRES_NEW), () -> evict("2"));
            evict("3");
        });
        assertThat(made).containsExactly("evict 1", "evict 3");
    }

    @Test
    void changesWithoutAnActualTransactionTakeEffectAtOnce() {
        database.transactions(PROPAGATION_SUPPORTS).executeWithoutResult(status -> {
            evict("1");
            assertThat(made).containsExactly("evict 1");
        });
        database.commit(() -> {
            evict("2");
            database.transactions(PROPAGATION_NOT_SUPPORTED).executeWithoutResult(status -> evict("3"));
            assertThat(made).containsExactly("evict 1", "evict 3");
        });
        assertThat(made).containsExactly("evict 1", "evict 3", "evict 2");
    }

    /** Spring calls no callback of a commit after one that has thrown. */
    @Test
    void callbackThatThrowsKeepsNoChangeFromTakingEffect() {
        TransactionTemplate unnoted = new TransactionTemplate(new DataSourceTransactionManager(database.source));
        assertThatThrownBy(() -> unnoted.executeWithoutResult(status -> {
                    TransactionSynchronizationManager.registerSynchronization(new First());
                    evict("1");
                }))
                .hasMessage("by the application");
        assertThat(made).containsExactly("evict 1");
    }

    /** Comes before all others, since it was registered first and has the same order. */
    private static final class First implements TransactionSynchronization {
        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCommit() {
            throw new IllegalStateException("by the application");
        }
    }

    @Test
    void callbacksOfTheApplicationFindTheChanges() {
        database.commit(() -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public int getOrder() {
                    return 0;
                }

                @Override
                public void afterCommit() {
                    made.add("callback");
                    evict("2");
                    made.add("its end");
                }
            });
            evict("1");
        });
        assertThat(made).containsExactly("evict 1", "callback", "evict 2", "its end");
    }

    @Test
    void changesInACallbackOfACompletionTakeEffectAtOnce() {
        database.rollBack(() -> {
            evict("1");
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    assertThat(hasChanged("1")).isFalse();
                    evict("2");
                    made.add("its end");
                }
            });
        });
        assertThat(made).containsExactly("evict 2", "its end");
    }

    /** As by JTA. */
    @Test
    void transactionMayEndOnAnotherThread() throws Exception {
        beginWithoutAManager();
        evict("1");
        List<TransactionSynchronization> callbacks = TransactionSynchronizationManager.getSynchronizations();
        Thread other = new Thread(() -> TransactionSynchronizationUtils.invokeAfterCompletion(
                callbacks, TransactionSynchronization.STATUS_COMMITTED));
        other.start();
        other.join();
        assertThat(made).containsExactly("evict 1");
        assertThat(hasChanged("1")).isFalse();
        evict("2");
        assertThat(made).as("a change after the end of its transaction").containsExactly("evict 1");
        TransactionSynchronizationUtils.triggerAfterCompletion(TransactionSynchronization.STATUS_COMMITTED);
        TransactionSynchronizationManager.clear();
        assertThat(made).containsExactly("evict 1", "evict 2");
    }

    private static void beginWithoutAManager() {
        TransactionSynchronizationManager.initSynchronization();
        TransactionSynchronizationManager.setActualTransactionActive(true);
    }

    @Test
    void abandonedTransactionTakesNoChangesOfTheNextOne() {
        beginWithoutAManager();
        evict("1");
        TransactionSynchronizationManager.clear(); // and nobody is told how it has ended
        new TransactionTemplate(new DataSourceTransactionManager(database.source))
                .executeWithoutResult(status -> evict("2"));
        assertThat(made).containsExactly("evict 2");
    }

    @Test
    void unknownOutcomeRemovesWhatMayHaveChanged() {
        DataSourceTransactionManager manager = new DataSourceTransactionManager(database.source) {
            @Override
            protected void doCommit(DefaultTransactionStatus status) {
                super.doCommit(status);
                throw new TransactionSystemException("no answer to the commit");
            }
        };
        assertThatThrownBy(() -> new TransactionTemplate(Database.noted(manager)).executeWithoutResult(status -> {
                    put("1");
                    evict("2");
                    clear();
                }))
                .isInstanceOf(TransactionSystemException.class);
        assertThat(made).containsExactly("remove 1", "evict 2", "clear");
    }

    @Test
    void immediateChangesAreNotLeftBehindByARollback() {
        Transactions immediate = Transactions.of(with(Changes.IMMEDIATE));
        database.rollBack(() -> {
            immediate.change("products", Change.put("1", () -> made.add("remove 1")), () -> made.add("put 1"));
            immediate.change("products", Change.ofKey("2"), () -> made.add("evict 2"));
            assertThat(made).containsExactly("put 1", "evict 2");
            assertThat(immediate.access("products", "1").mayLookUp()).isFalse();
        });
        assertThat(made).containsExactly("put 1", "evict 2", "remove 1");
    }

    /** Others may have loaded the value from before the commit. */
    @Test
    void immediateRemovalFollowsTheCommitAgain() {
        Transactions immediate = Transactions.of(with(Changes.IMMEDIATE));
        database.commit(() -> immediate.change("products", Change.ofKey("2"), () -> made.add("evict 2")));
        assertThat(made).containsExactly("evict 2", "evict 2");
    }

    private static TransactionOptions with(Changes changes) {
        TransactionOptions defaults = TransactionOptions.defaults();
        return new TransactionOptions(defaults.loads(), changes, defaults.isolation(), defaults.maxWait());
    }

    @Test
    void changeAtOnceFollowsTheCommitAgain() {
        database.commit(() -> {
            transactions.changeNow("products", Change.ofKey("1"), () -> made.add("evict 1"));
            assertThat(made).containsExactly("evict 1");
        });
        transactions.changeNow("products", Change.ofKey("2"), () -> made.add("evict 2"));
        assertThat(made).containsExactly("evict 1", "evict 1", "evict 2");
    }

    @Test
    void callersWaitLessWhileTheyHoldAConnection() {
        assertThat(maxWait()).isNull();
        database.transactions(PROPAGATION_SUPPORTS)
                .executeWithoutResult(status -> assertThat(maxWait()).isNull());
        database.commit(() ->
                assertThat(maxWait()).isEqualTo(TransactionOptions.defaults().maxWait()));
    }

    private @Nullable Duration maxWait() {
        return transactions.access("products", "1").maxWait();
    }
}
