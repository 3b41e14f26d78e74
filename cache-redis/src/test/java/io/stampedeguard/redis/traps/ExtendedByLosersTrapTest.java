package io.stampedeguard.redis.traps;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisFleet;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Response;

/** Trap 2: {@code SETNX} and {@code EXPIRE} in one {@code MULTI}. Each unsuccessful attempt extends the holder's TTL. */
final class ExtendedByLosersTrapTest {
    private static final Duration LEASE = Duration.ofMinutes(1);

    @AutoClose
    private final RedisFleet fleet =
            new RedisFleet(2, CachePolicy.builder().leaseTtl(LEASE).build());

    private final String lock = fleet.name() + ":naive:lock";

    /** Atomic, so that no crash leaves a lock without a TTL. */
    @SuppressWarnings("deprecation") // the very command that this test is about
    private boolean naiveTryLock(String holder) {
        try (AbstractTransaction transaction = fleet.redis().multi()) {
            Response<Long> taken = transaction.setnx(lock, holder);
            transaction.pexpire(lock, LEASE.toMillis());
            transaction.exec();
            return taken.get() == 1;
        }
    }

    @Test
    void naiveLockIsExtendedByEachWhoAsksForItInVain() {
        assertThat(naiveTryLock("crashed")).isTrue();
        for (int i = 0; i < 10; i++) {
            long end = fleet.endMillis(lock);
            until(() -> millisLeft() < LEASE.toMillis() - 5);

            assertThat(naiveTryLock("in vain")).isFalse();

            assertThat(fleet.redis().get(lock)).isEqualTo("crashed");
            assertThat(fleet.endMillis(lock)).as("the end is put off").isGreaterThan(end);
        }
    }

    @Test
    void leaseEndsWhenItWouldHaveEndedHoweverManyAskForIt() {
        on(fleet.store(0)).lease(fleet.storeKey("k"), LeaseToken.next(), null, LEASE);
        long end = fleet.endMillis(fleet.leaseKey("k"));

        fleet.get(0, "k");
        until(() -> fleet.listener().count(EventType.LEASE_HELD) >= 2);
        for (int i = 0; i < 10; i++) {
            on(fleet.store(0)).lease(fleet.storeKey("k"), LeaseToken.next(), null, LEASE);
        }

        assertThat(fleet.endMillis(fleet.leaseKey("k"))).isEqualTo(end);
        fleet.runOut(fleet.leaseKey("k"));
        assertThat(fleet.cache(1).get("k", fleet.origin()::read)).isEqualTo("row");
    }

    private long millisLeft() {
        return fleet.redis().pttl(lock);
    }
}
