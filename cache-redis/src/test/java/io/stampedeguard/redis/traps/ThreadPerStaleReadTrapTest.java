package io.stampedeguard.redis.traps;

import static io.stampedeguard.testkit.Fleet.until;
import static org.assertj.core.api.Assertions.assertThat;
import static redis.clients.jedis.params.SetParams.setParams;

import io.stampedeguard.event.EventType;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisFleet;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Trap 8: one thread for each stale read, which rebuilds the entry while the stale value is served. */
final class ThreadPerStaleReadTrapTest {
    private static final int READS = 200;

    @AutoClose
    private final RedisFleet fleet = new RedisFleet(
            1,
            CachePolicy.builder()
                    .maxConcurrentLoads(8)
                    .leaseTtl(Duration.ofMinutes(1))
                    .build());

    private final String key = fleet.name() + ":naive";
    private final String rebuilders = fleet.name() + "-rebuild";

    /** The entry never expires by itself: its own expiry time is stored before the value. */
    private String naiveGet() {
        String[] entry = fleet.redis().get(key).split("@", 2);
        if (Long.parseLong(entry[0]) <= System.currentTimeMillis()) {
            new Thread(this::naiveRebuild, rebuilders).start();
        }
        return entry[1];
    }

    private void naiveRebuild() {
        try {
            String row = fleet.origin().read(key);
            fleet.redis()
                    .set(
                            key,
                            (System.currentTimeMillis() + 30_000) + "@" + row,
                            setParams().ex(60));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void naiveStaleReadsOfOneKeyEachStartALoadingThread() {
        fleet.redis().set(key, "0@stale", setParams().ex(60));
        fleet.origin().close();

        for (int i = 0; i < READS; i++) {
            assertThat(naiveGet()).isEqualTo("stale");
        }

        until(() -> fleet.origin().running() == READS);
        assertThat(threads(rebuilders)).isEqualTo(READS);
        fleet.origin().open();
        until(() -> threads(rebuilders) == 0);
    }

    @Test
    void staleReadsOfOneKeyTakeOneThreadAndOneLoad() {
        fleet.cache(0).put("k", "stale");
        fleet.cache(0).expire("k");
        fleet.origin().close();

        for (int i = 0; i < READS; i++) {
            assertThat(fleet.cache(0).get("k", fleet.origin()::read)).isEqualTo("stale");
        }

        until(() -> fleet.origin().running() == 1);
        assertThat(fleet.listener().count(EventType.REFRESH_QUEUED)).isEqualTo(1);
        assertThat(threads(refreshers())).isEqualTo(1);
        fleet.origin().open();
        until(() -> fleet.listener().count(EventType.LOAD_STORED) == 1);
    }

    @Test
    void staleReadsOfManyKeysTakeOnlyHalfTheLoadPermits() {
        for (int i = 0; i < READS; i++) {
            fleet.cache(0).put("k" + i, "stale");
            fleet.cache(0).expire("k" + i);
        }
        fleet.origin().close();

        for (int i = 0; i < READS; i++) {
            assertThat(fleet.cache(0).get("k" + i, fleet.origin()::read)).isEqualTo("stale");
        }

        until(() -> fleet.origin().running() == 4);
        assertThat(threads(refreshers())).isEqualTo(4);
        fleet.origin().open();
        until(() -> fleet.listener().count(EventType.LOAD_STORED) == READS);
        assertThat(fleet.origin().mostAtOnce()).isEqualTo(4);
    }

    private String refreshers() {
        return "stampede-" + fleet.name() + "-refresh-";
    }

    private static long threads(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(name))
                .count();
    }
}
