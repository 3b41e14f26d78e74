package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Batches of real processes on a real Redis that overlap in any way. */
final class ManyKeysFleetTest {
    /** Renewed after a third of it. */
    private static final Duration LEASE = Duration.ofSeconds(9);
    /** For tests in which no lease ends: longer than any machine stalls. */
    private static final Duration LONG_LEASE = Duration.ofSeconds(30);

    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final int KEYS = 40;

    private final long seed = new Random().nextLong();

    @Test
    void eachKeyOfOverlappingBatchesIsLoadedOnceInTheWholeFleet() throws InterruptedException {
        try (CacheFleet fleet = fleetOf(4, LONG_LEASE)) {
            for (int round = 0; round < 4; round++) {
                String keys = "round" + round + "-";
                write(fleet, keys);
                for (int member = 0; member < 4; member++) {
                    fleet.order(List.of(fleet.member(member)), batches(keys, 8, 30, seed + round * 4L + member));
                }
                for (CacheFleet.Got got : fleet.gotByAll()) {
                    assertThat(got.answers())
                            .as("seed %d, round %d", seed, round)
                            .hasSize(8)
                            .containsOnly("complete");
                }
                for (int i = 0; i < KEYS; i++) {
                    assertThat(fleet.loads(keys + i))
                            .as("loads of %d; seed %d, round %d", i, seed, round)
                            .isEqualTo(1);
                }
            }
        }
    }

    @Test
    void othersTakeOverKeysOfAProcessKilledWhileLoading() throws InterruptedException {
        try (CacheFleet fleet = fleetOf(4, LEASE)) {
            write(fleet, "killed-");
            FleetMember leader = fleet.member(0);
            fleet.order(List.of(leader), batches("killed-", 1, 60_000, seed));
            fleet.awaitLoads("killed-0", 1);
            List<FleetMember> others = fleet.everybody().subList(1, 4);
            for (int other = 1; other < 4; other++) {
                fleet.order(List.of(fleet.member(other)), batches("killed-", 4, 50, seed + other));
            }
            List<String> keys =
                    IntStream.range(0, KEYS).mapToObj(i -> "killed-" + i).toList();
            fleet.awaitRenewals(keys);
            List<byte[]> holders = keys.stream().map(fleet::holder).toList();
            leader.kill();
            for (int i = 0; i < KEYS; i++) {
                int at = i;
                fleet.endLease(keys.get(i), holders.get(i)).ifPresent(ended -> {
                    assertThat(ended.millisLeft())
                            .as("ms until the lease of %d ends by itself", at)
                            .isBetween(1L, LEASE.toMillis());
                    assertThat(ended.loads())
                            .as("loads of %d while its lease lives", at)
                            .isEqualTo(1);
                });
            }

            for (FleetMember other : others) {
                assertThat(fleet.gotBy(other).answers())
                        .as("seed %d", seed)
                        .hasSize(4)
                        .containsOnly("complete");
            }
            for (int i = 0; i < KEYS; i++) {
                assertThat(fleet.loads("killed-" + i))
                        .as("loads of %d; seed %d", i, seed)
                        .isEqualTo(2);
            }
        }
    }

    private static CacheFleet fleetOf(int size, Duration lease) throws InterruptedException {
        return new CacheFleet(size, SharedRedis.uri(), CacheFleet.policy(lease, WAIT, 32));
    }

    private static Message batches(String keys, int callers, long loadMillis, long seed) {
        return CacheFleet.getAll(keys, KEYS, callers, loadMillis, seed);
    }

    private static void write(CacheFleet fleet, String keys) {
        for (int i = 0; i < KEYS; i++) {
            fleet.write(keys + i, "row");
        }
    }
}
