package io.stampedeguard.redis.traps;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;
import static redis.clients.jedis.params.SetParams.setParams;

import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisFleet;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Trap 1: {@code SETNX}, then a crash. A lock without a TTL blocks reloads forever. */
final class CrashedHolderTrapTest {
    private static final Duration LEASE = Duration.ofMillis(300);

    private final RedisFleet fleet =
            new RedisFleet(1, CachePolicy.builder().leaseTtl(LEASE).build());
    private final String key = fleet.name() + ":naive";
    private final String lock = key + ":lock";

    @AfterEach
    void close() {
        fleet.redis().del(lock);
        fleet.close();
    }

    /** A caller that does not get the lock gets nothing, and comes again later. */
    @SuppressWarnings("deprecation") // the very command that this test is about
    private @Nullable String naiveGet(Callable<String> loader) throws Exception {
        String value = fleet.redis().get(key);
        if (value == null && fleet.redis().setnx(lock, "locked") == 1) {
            try {
                value = loader.call();
                fleet.redis().set(key, value, setParams().ex(60));
            } finally {
                fleet.redis().del(lock);
            }
        }
        return value;
    }

    @Test
    void naiveLockOfACrashedHolderBlocksReloadsForEver() throws Exception {
        fleet.origin().close(); // a killed process stays in its load, and runs no finally
        fleet.callers().call(() -> naiveGet(() -> fleet.origin().read(key)));
        until(() -> fleet.origin().running() == 1);

        assertThat(fleet.redis().pttl(lock)).as("no end").isEqualTo(-1);
        for (int i = 0; i < 100; i++) {
            assertThat(naiveGet(() -> fleet.origin().read(key))).isNull();
        }
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void leaseOfACrashedHolderEndsAndTheNextCallerLoads() {
        // The state that a killed process leaves: a lease that nothing renews or gives back.
        LeaseAttempt dead = on(fleet.store(0)).lease(fleet.storeKey("k"), LeaseToken.next(), null, LEASE);
        assertThat(dead).isInstanceOf(LeaseAttempt.Granted.class);
        assertThat(fleet.redis().pttl(fleet.leaseKey("k"))).as("it has an end").isNotEqualTo(-1);

        assertThat(fleet.cache(0).get("k", fleet.origin()::read)).isEqualTo("row");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void evenALockWithoutEndThatSomebodyElseLeftIsTakenOver() {
        fleet.redis().set(fleet.leaseKey("k"), "no TTL");

        assertThat(fleet.cache(0).get("k", fleet.origin()::read)).isEqualTo("row");
    }
}
