package io.stampedeguard.examples.warehouse;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.examples.warehouse.Statements.Hold;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextClosedEvent;
import redis.clients.jedis.Jedis;

/** An application is closed while calls through its annotations are in progress. */
final class ShutdownUnderLoadTest {
    /** Fewer than the connections of the pool: each call holds one. */
    private static final int CALLS = 8;

    /** Long enough that no lease runs out on a busy machine. */
    private static final String[] PATIENT = {
        "--stampede.defaults.lease-ttl=5m",
        "--stampede.defaults.load-timeout=5m",
        "--stampede.defaults.wait-timeout=5m",
        "--spring.lifecycle.timeout-per-shutdown-phase=5m"
    };

    private final Executor threads = task -> new Thread(task).start();
    private final List<CompletableFuture<String>> calls = new ArrayList<>();
    private final List<String> leasesAtTheEnd = new ArrayList<>();
    private int entriesAtTheEnd;

    /** Looks at Redis just before the data source is closed. */
    private DestructionAwareBeanPostProcessor lookingAt(Jedis redis) {
        return new DestructionAwareBeanPostProcessor() {
            @Override
            public boolean requiresDestruction(Object bean) {
                return bean instanceof DataSource;
            }

            @Override
            public void postProcessBeforeDestruction(Object bean, String name) {
                leasesAtTheEnd.addAll(redis.keys("*:lease"));
                entriesAtTheEnd = redis.keys("warehouse:*}").size();
            }
        };
    }

    private void call(Warehouse warehouse, Items items) {
        for (long id = 1; id <= CALLS; id++) {
            long same = id;
            calls.add(CompletableFuture.supplyAsync(
                    () -> same % 2 == 0
                            ? warehouse.name(same)
                            : items.findOneById(same).orElseThrow().getName(),
                    threads));
        }
    }

    @Test
    void callsThatHaveBegunEndBeforeTheDataSourceCloses() throws InterruptedException {
        try (RedisServer redis = RedisServer.startProcess();
                Jedis admin = PlainRedis.admin(redis.uri())) {
            String database = UUID.randomUUID().toString();
            try (ConfigurableApplicationContext application = WarehouseApplication.start(
                            context -> context.getBeanFactory().addBeanPostProcessor(lookingAt(admin)),
                            redis,
                            database,
                            PATIENT);
                    ConfigurableApplicationContext other = WarehouseApplication.start(redis, database, PATIENT)) {
                CountDownLatch isClosing = new CountDownLatch(1);
                application.addApplicationListener(
                        (ApplicationListener<ContextClosedEvent>) event -> isClosing.countDown());
                Warehouse warehouse = application.getBean(Warehouse.class);
                for (long id = 1; id <= CALLS; id++) {
                    warehouse.add(id, "item " + id);
                }
                int readsOfTheOther = other.getBean(Statements.class).reads();
                Hold hold = application.getBean(Statements.class).hold(CALLS);
                call(warehouse, application.getBean(Items.class));
                hold.awaitReads();
                Set<String> leases = admin.keys("*:lease");
                CompletableFuture<Void> closing = CompletableFuture.runAsync(application::close, threads);
                isClosing.await();
                hold.release();
                closing.join();

                assertThat(calls).extracting(CompletableFuture::join).allMatch(name -> name.startsWith("item "));
                assertThat(leases).as("while they ran").hasSize(CALLS);
                assertThat(leasesAtTheEnd).isEmpty();
                assertThat(entriesAtTheEnd).isEqualTo(CALLS);
                assertThat(admin.keys("*:lease")).isEmpty();
                calls.clear();
                call(other.getBean(Warehouse.class), other.getBean(Items.class));
                assertThat(calls).extracting(CompletableFuture::join).allMatch(name -> name.startsWith("item "));
                assertThat(other.getBean(Statements.class).reads())
                        .as("the other process finds what was loaded")
                        .isEqualTo(readsOfTheOther);
            }
        }
    }
}
