package io.stampedeguard.redis.traps;

import static io.stampedeguard.testkit.Fleet.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.EventType;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisFleet;
import io.stampedeguard.testkit.Callers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Trap 5: {@code GETSET} with the clients' timestamps. If clocks differ, two processes hold the lock. */
final class SkewedClocksTrapTest {
    private static final Duration SKEW = Duration.ofMinutes(15);
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final RedisFleet fleet = new RedisFleet(
            CachePolicy.builder().softTtl(Duration.ofMinutes(5)).leaseTtl(LEASE).build());
    private final String lock = fleet.name() + ":naive:lock";

    @AfterEach
    void close() {
        fleet.redis().del(lock);
        fleet.close();
    }

    /** The pattern of the SETNX page: the lock is the time at which it ends. */
    @SuppressWarnings("deprecation") // the very command that this test is about
    private boolean naiveTryLock(long nowMillis) {
        String end = Long.toString(nowMillis + LEASE.toMillis() + 1);
        if (fleet.redis().setnx(lock, end) == 1) {
            return true;
        }
        String current = fleet.redis().get(lock);
        return current != null
                && Long.parseLong(current) <= nowMillis
                && current.equals(fleet.redis().getSet(lock, end));
    }

    @Test
    void naiveLockIsHeldByTwoWhoseClocksDiffer() {
        long now = System.currentTimeMillis();

        assertThat(naiveTryLock(now)).isTrue();
        assertThat(naiveTryLock(now)).isFalse();
        assertThat(naiveTryLock(now + SKEW.toMillis())).isTrue();
    }

    @Test
    void processesWhoseClocksDifferTakeTurnsAndAgreeOnFreshness() throws Exception {
        for (Duration skew : List.of(Duration.ZERO, SKEW, SKEW.negated())) {
            fleet.join(skew, store -> store);
        }
        for (int first = 0; first < 3; first++) {
            String key = "k" + first;
            long heldBefore = fleet.listener().count(EventType.LEASE_HELD);
            fleet.origin().close();
            Callers.Call<String> leader = fleet.get(first, key);
            until(() -> fleet.origin().running() == 1);
            List<Callers.Call<String>> others =
                    List.of(fleet.get((first + 1) % 3, key), fleet.get((first + 2) % 3, key));
            until(() -> fleet.listener().count(EventType.LEASE_HELD) >= heldBefore + 2);
            fleet.origin().open();

            assertThat(leader.result()).isEqualTo("row");
            assertThat(Callers.results(others)).containsOnly("row");
            for (StampedeGuardedCache<String, String> cache : List.of(fleet.cache(0), fleet.cache(1), fleet.cache(2))) {
                assertThat(cache.get(key, again -> "loaded again")).isEqualTo("row");
            }
        }
        assertThat(fleet.origin().reads()).as("one of each key").isEqualTo(3);
        assertThat(fleet.listener().events()).doesNotContain(EventType.STORE_STALE);
    }
}
