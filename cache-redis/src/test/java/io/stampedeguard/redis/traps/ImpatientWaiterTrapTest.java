package io.stampedeguard.redis.traps;

import static io.stampedeguard.testkit.Fleet.until;
import static org.assertj.core.api.Assertions.assertThat;
import static redis.clients.jedis.params.SetParams.setParams;

import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisFleet;
import io.stampedeguard.testkit.Callers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Trap 11: a time limit for the lock, after which the waiter loads by itself: all callers hit a slow origin at once. */
final class ImpatientWaiterTrapTest {
    private static final int WAITERS = 16;
    private static final Duration WAIT = Duration.ofMillis(200);

    @AutoClose
    private final RedisFleet fleet = new RedisFleet(
            2,
            CachePolicy.builder()
                    .leaseTtl(Duration.ofMinutes(1))
                    .waitTimeout(WAIT)
                    .build());

    private final String key = fleet.name() + ":naive";
    private final String lock = key + ":lock";

    private String naiveGet(Callable<String> loader) throws Exception {
        long end = System.nanoTime() + WAIT.toNanos();
        do {
            String value = fleet.redis().get(key);
            if (value != null) {
                return value;
            }
            if (fleet.redis().set(lock, "locked", setParams().nx().ex(60)) != null) {
                value = loader.call();
                fleet.redis().set(key, value, setParams().ex(60));
                fleet.redis().del(lock);
                return value;
            }
            Thread.sleep(10);
        } while (System.nanoTime() - end < 0);
        return loader.call();
    }

    @Test
    void naiveWaitersAllLoadOnceTheyHaveWaitedEnough() throws Exception {
        fleet.origin().close();

        fleet.callers().call(1 + WAITERS, () -> naiveGet(() -> fleet.origin().read(key)));

        until(() -> fleet.origin().running() == 1 + WAITERS);
    }

    @Test
    void waitersTimeOutAndNobodyLoadsBesideTheLeader() throws Exception {
        fleet.origin().close();
        Callers.Call<String> leader = fleet.get(0, "k");
        until(() -> fleet.origin().running() == 1);

        AtomicInteger next = new AtomicInteger();
        List<Callers.Call<String>> waiters = fleet.callers()
                .call(WAITERS, () -> fleet.cache(next.getAndIncrement() % 2).get("k", fleet.origin()::read));

        for (Callers.Call<String> waiter : waiters) {
            assertThat(waiter.failure()).isInstanceOf(WaitTimeoutException.class);
        }
        fleet.origin().open();
        assertThat(leader.result()).isEqualTo("row");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }
}
