package io.stampedeguard.redis.traps;

import static io.stampedeguard.testkit.Fleet.until;
import static org.assertj.core.api.Assertions.assertThat;
import static redis.clients.jedis.params.SetParams.setParams;

import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisFleet;
import io.stampedeguard.testbed.fleet.WallClock;
import io.stampedeguard.testkit.Callers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.params.SetParams;

/** Trap 4: the work takes longer than the lock lives, and there are two holders. */
final class LongWorkTrapTest {
    private static final Duration LEASE = Duration.ofMillis(900);
    private static final long LEASE_MICROS = LEASE.toMillis() * 1_000;

    @AutoClose
    private final RedisFleet fleet = new RedisFleet(
            2,
            CachePolicy.builder()
                    .leaseTtl(LEASE)
                    .waitTimeout(Duration.ofMinutes(1))
                    .build());

    private final String key = fleet.name() + ":naive";
    private final String lock = key + ":lock";

    private @Nullable String naiveGet(Callable<String> loader) throws Exception {
        String value = fleet.redis().get(key);
        SetParams untilLeaseEnds = setParams().nx().px(LEASE.toMillis());
        if (value == null && fleet.redis().set(lock, "locked", untilLeaseEnds) != null) {
            value = loader.call();
            fleet.redis().set(key, value, setParams().ex(60));
            fleet.redis().del(lock);
        }
        return value;
    }

    @Test
    void naiveLockExpiresUnderItsHolderAndASecondLoadBegins() {
        fleet.origin().close();
        fleet.callers().call(() -> naiveGet(() -> fleet.origin().read(key)));
        until(() -> fleet.origin().running() == 1);
        until(() -> !fleet.redis().exists(lock));

        fleet.callers().call(() -> naiveGet(() -> fleet.origin().read(key)));

        until(() -> fleet.origin().running() == 2);
    }

    @Test
    void loadOfFiveTimesTheLeaseIsOneLoad() throws Exception {
        fleet.origin().close();
        Callers.Call<String> leader = fleet.get(0, "k");
        until(() -> fleet.origin().running() == 1);
        long began = WallClock.micros();
        List<Callers.Call<String>> followers = List.of(fleet.get(1, "k"), fleet.get(1, "k"), fleet.get(0, "k"));
        WallClock.awaitMicros(began + LEASE_MICROS * 5);
        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("row");
        assertThat(Callers.results(followers)).containsOnly("row");
        // Renewal is due after a third of a lease, and has two thirds left.
        long leasesLostInStalls = fleet.stalls().lengthsMicros(began).sum() / (LEASE_MICROS / 2);
        assertThat(fleet.origin().reads())
                .as("loads; one, where nothing stalled")
                .isBetween(1, 1 + (int) leasesLostInStalls);
    }
}
