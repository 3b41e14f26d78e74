package io.stampedeguard.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * Callers in transactions hold all connections of a pool, and wait for a load that needs one. Each calls the method itself after {@code
 * transactions.wait}, once at most, and nobody fails.
 */
final class TransactionPoolTest {
    private static final int POOL = 4;
    private static final Duration HANGS = Duration.ofMinutes(2);

    private final AnnotationConfigApplicationContext context =
            new AnnotationConfigApplicationContext(Shop.class, OnASmallPool.class);
    private final Shop.Products products = context.getBean(Shop.Products.class);
    private final Shop.Scopes scopes = context.getBean(Shop.Scopes.class);
    private final HikariDataSource pool = context.getBean(HikariDataSource.class);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    static final class OnASmallPool {
        @Bean(destroyMethod = "close")
        HikariDataSource source() {
            HikariDataSource source = new HikariDataSource();
            source.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
            source.setMaximumPoolSize(POOL);
            source.setConnectionTimeout(HANGS.toMillis());
            return source;
        }

        @Bean
        TransactionOptions options() {
            TransactionOptions defaults = TransactionOptions.defaults();
            return new TransactionOptions(
                    defaults.loads(), defaults.changes(), defaults.isolation(), Duration.ofMillis(200));
        }
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        context.close();
    }

    @Test
    void callersThatHoldAllConnectionsAreAnswered() throws Exception {
        CountDownLatch allHold = new CountDownLatch(POOL);
        CountDownLatch loadWaits = new CountDownLatch(1);
        List<Future<String>> answers = new ArrayList<>();
        for (int i = 0; i < POOL; i++) {
            answers.add(threads.submit(() -> scopes.inTransaction(() -> {
                allHold.countDown();
                awaitOpen(loadWaits);
                return products.name(42);
            })));
        }
        awaitOpen(allHold);
        answers.add(threads.submit(() -> products.name(42)));
        Fleet.until(() -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 1);
        loadWaits.countDown();
        for (Future<String> answer : answers) {
            assertThat(answer.get(HANGS.toSeconds(), TimeUnit.SECONDS)).isEqualTo("lamp");
        }
        assertThat(products.loads())
                .as("each caller's own, and the one waited for")
                .isBetween(2, POOL + 1);
        int loads = products.loads();
        assertThat(products.name(42)).isEqualTo("lamp");
        assertThat(products.loads()).as("what was waited for is stored").isEqualTo(loads);
    }

    @Test
    void futuresBeginInTheTransactionsOfTheirCallers() throws Exception {
        CountDownLatch allHold = new CountDownLatch(POOL);
        List<Future<String>> answers = new ArrayList<>();
        for (int i = 0; i < POOL; i++) {
            answers.add(threads.submit(() -> scopes.inTransaction(() -> {
                allHold.countDown();
                awaitOpen(allHold);
                return products.nameLater(42).join();
            })));
        }
        for (Future<String> answer : answers) {
            assertThat(answer.get(HANGS.toSeconds(), TimeUnit.SECONDS)).isEqualTo("lamp");
        }
        assertThat(products.loads()).isEqualTo(POOL);

        assertThat(products.nameLater(42).join()).isEqualTo("lamp");
        assertThat(scopes.inTransaction(() -> products.nameLater(42).join())).isEqualTo("lamp");
        assertThat(products.loads()).as("what is stored is found").isEqualTo(POOL + 1);
    }

    @Test
    void manyKeysAreReadInATransactionWithoutAWaitForOthers() {
        TypedCache<Long, String> names =
                context.getBean(StampedeCacheManager.class).typed("products", Long.class, String.class);
        products.name(42);
        List<Long> asked = new ArrayList<>();

        Map<Long, String> found = scopes.inTransaction(() -> names.getAll(List.of(42L, 43L), ids -> {
            asked.addAll(ids);
            return Map.of(43L, "desk");
        }));

        assertThat(found).isEqualTo(Map.of(42L, "lamp", 43L, "desk"));
        assertThat(asked).containsExactly(43L);
        assertThat(names.getIfPresent(43L)).as("not stored").isNull();
    }

    private static void awaitOpen(CountDownLatch latch) {
        try {
            assertThat(latch.await(HANGS.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
