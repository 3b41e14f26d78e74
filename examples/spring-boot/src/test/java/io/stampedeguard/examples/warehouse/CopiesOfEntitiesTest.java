package io.stampedeguard.examples.warehouse;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.examples.warehouse.Statements.Hold;
import io.stampedeguard.testbed.RedisServer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** A cached method of a repository returns entities. One of them never reaches two callers. */
final class CopiesOfEntitiesTest {
    private static final int CALLERS = 8;

    @Test
    void eachCallerHasAnEntityOfItsOwn() throws InterruptedException {
        try (RedisServer redis = RedisServer.startProcess();
                ConfigurableApplicationContext application = WarehouseApplication.start(
                        redis, UUID.randomUUID().toString(), "--stampede.caches.items.near.maximum-size=100")) {
            application.getBean(Warehouse.class).add(1, "lamp");
            Items items = application.getBean(Items.class);
            Statements statements = application.getBean(Statements.class);
            int reads = statements.reads();
            Hold hold = statements.hold(1);
            CountDownLatch others = new CountDownLatch(CALLERS);
            List<CompletableFuture<Item>> calls = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                calls.add(CompletableFuture.supplyAsync(
                        () -> {
                            others.countDown();
                            return items.findOneById(1).orElseThrow();
                        },
                        task -> new Thread(task).start()));
            }
            hold.awaitReads();
            others.await();
            hold.release();
            Set<Item> found = Collections.newSetFromMap(new IdentityHashMap<>());
            calls.forEach(call -> {
                Item item = call.join();
                assertThat(item.getName()).isEqualTo("lamp");
                item.rename("changed by its caller");
                found.add(item);
            });
            Item near = items.findOneById(1).orElseThrow();
            assertThat(near.getName()).isEqualTo("lamp");
            found.add(near);
            assertThat(found).hasSize(CALLERS + 1);
            assertThat(statements.reads()).as("loaded once").isEqualTo(reads + 1);
        }
    }
}
