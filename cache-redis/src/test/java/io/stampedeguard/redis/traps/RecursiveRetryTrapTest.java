package io.stampedeguard.redis.traps;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;
import static redis.clients.jedis.params.SetParams.setParams;

import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisFleet;
import io.stampedeguard.testkit.Callers;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Trap 7: {@code sleep(50); return get(key);}. Neither the stack nor the wait has a bound. */
final class RecursiveRetryTrapTest {
    private static final Duration WAIT = Duration.ofMillis(500);

    @AutoClose
    private final RedisFleet fleet = new RedisFleet(
            1,
            CachePolicy.builder()
                    .leaseTtl(Duration.ofMinutes(3))
                    .waitTimeout(WAIT)
                    .poll(Duration.ofMillis(1))
                    .build());

    private final AtomicReference<Thread> waiter = new AtomicReference<>();
    private final String key = fleet.name() + ":naive";
    private final String lock = key + ":lock";

    private String naiveGet() throws Exception {
        String value = fleet.redis().get(key);
        if (value != null) {
            return value;
        }
        if (fleet.redis().set(lock, "locked", setParams().nx().ex(180)) != null) {
            value = fleet.origin().read(key);
            fleet.redis().set(key, value, setParams().ex(60));
            fleet.redis().del(lock);
            return value;
        }
        Thread.sleep(5);
        return naiveGet();
    }

    @Test
    void naiveWaitersStackGrowsWithEachRetryAndNothingEndsItsWait() throws Exception {
        fleet.redis().set(lock, "somebody's", setParams().ex(180));

        Callers.Call<String> call = fleet.callers().call(() -> {
            waiter.set(Thread.currentThread());
            return naiveGet();
        });

        until(() -> deepestRecursion() > 100);
        long deep = deepestRecursion();
        until(() -> deepestRecursion() > deep + 100);
        assertThat(call.isOver()).isFalse();
        fleet.redis().set(key, "row", setParams().ex(60));
        assertThat(call.result()).isEqualTo("row");
    }

    @Test
    void followersStackDoesNotGrowAndItsWaitTimesOut() throws Exception {
        on(fleet.store(0)).lease(fleet.storeKey("k"), LeaseToken.next(), null, Duration.ofMinutes(3));

        long began = System.nanoTime();
        Callers.Call<String> call = fleet.callers().call(() -> {
            waiter.set(Thread.currentThread());
            return fleet.cache(0).get("k", fleet.origin()::read);
        });

        until(() -> waiter.get() != null);
        while (!call.isOver()) {
            assertThat(deepestRecursion()).isLessThanOrEqualTo(1);
        }
        assertThat(call.failure()).isInstanceOf(WaitTimeoutException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThanOrEqualTo(WAIT);
        assertThat(fleet.origin().reads()).isZero();
    }

    /** Returns how often the same line of this project occurs in the waiter's stack. */
    private long deepestRecursion() {
        Thread thread = waiter.get();
        return thread == null
                ? 0
                : Arrays.stream(thread.getStackTrace())
                        .filter(frame -> frame.getClassName().startsWith("io.stampedeguard"))
                        .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()))
                        .values()
                        .stream()
                        .mapToLong(Long::longValue)
                        .max()
                        .orElse(0);
    }
}
