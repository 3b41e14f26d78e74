package io.stampedeguard.redis.traps;

import static io.stampedeguard.testkit.Fleet.until;
import static org.assertj.core.api.Assertions.assertThat;
import static redis.clients.jedis.params.SetParams.setParams;

import io.stampedeguard.event.EventType;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisFleet;
import io.stampedeguard.testkit.Callers;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Trap 3: {@code DEL} without a check of the owner. A late holder releases the lock of the next one. */
final class SomebodyElsesLockTrapTest {
    @AutoClose
    private final RedisFleet fleet = new RedisFleet(
            3, CachePolicy.builder().leaseTtl(Duration.ofMinutes(1)).build());

    private final String key = fleet.name() + ":naive";
    private final String lock = key + ":lock";

    private @Nullable String naiveGet(Callable<String> loader) throws Exception {
        String value = fleet.redis().get(key);
        if (value == null && fleet.redis().set(lock, "locked", setParams().nx().ex(60)) != null) {
            try {
                value = loader.call();
            } finally {
                fleet.redis().del(lock);
            }
        }
        return value;
    }

    @Test
    void naiveLateHolderFreesAnothersLockAndAThirdCallerLoads() throws Exception {
        CountDownLatch firstGate = fleet.origin().close();
        Callers.Call<String> first =
                fleet.callers().call(() -> naiveGet(() -> fleet.origin().read(key)));
        until(() -> fleet.origin().running() == 1);
        fleet.runOut(lock);
        fleet.origin().close();
        fleet.callers().call(() -> naiveGet(() -> fleet.origin().read(key)));
        until(() -> fleet.origin().running() == 2);

        firstGate.countDown();
        first.result();

        assertThat(fleet.redis().exists(lock)).as("the second one's lock").isFalse();
        fleet.callers().call(() -> naiveGet(() -> fleet.origin().read(key)));
        until(() -> fleet.origin().running() == 2);
        assertThat(fleet.origin().reads()).isEqualTo(3);
    }

    @Test
    void lateLeaderSparesAnothersLeaseAndNoThirdCallerLoads() throws Exception {
        CountDownLatch firstGate = fleet.origin().close();
        Callers.Call<String> first = fleet.get(0, "k");
        until(() -> fleet.origin().running() == 1);
        fleet.runOut(fleet.leaseKey("k"));
        fleet.origin().close();
        Callers.Call<String> second = fleet.get(1, "k");
        until(() -> fleet.origin().running() == 2);
        String holder = fleet.redis().get(fleet.leaseKey("k"));

        firstGate.countDown();
        assertThat(first.result()).as("its own caller came before").isEqualTo("row");

        assertThat(fleet.listener().count(EventType.LOAD_FENCED)).isEqualTo(1);
        assertThat(fleet.redis().get(fleet.leaseKey("k"))).isEqualTo(holder).isNotNull();
        Callers.Call<String> third = fleet.get(2, "k");
        until(() -> fleet.listener().count(EventType.LEASE_HELD) >= 1);
        fleet.origin().open();
        assertThat(second.result()).isEqualTo("row");
        assertThat(third.result()).isEqualTo("row");
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }
}
