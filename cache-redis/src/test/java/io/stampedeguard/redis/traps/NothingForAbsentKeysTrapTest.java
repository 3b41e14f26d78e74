package io.stampedeguard.redis.traps;

import static org.assertj.core.api.Assertions.assertThat;
import static redis.clients.jedis.params.SetParams.setParams;

import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisFleet;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Trap 10: nothing is stored for keys that do not exist, and each request for one reaches the origin. */
final class NothingForAbsentKeysTrapTest {
    private static final int REQUESTS = 100;

    @AutoClose
    private final RedisFleet fleet = new RedisFleet(
            2,
            CachePolicy.builder()
                    .negativeTtl(Duration.ofMinutes(1))
                    .leaseTtl(Duration.ofMinutes(1))
                    .build());

    private final String key = fleet.name() + ":naive";

    @BeforeEach
    void theOriginHasNone() {
        fleet.origin().write(null);
    }

    private @Nullable String naiveGet(Callable<@Nullable String> loader) throws Exception {
        String value = fleet.redis().get(key);
        if (value == null) {
            value = loader.call();
            if (value != null) {
                fleet.redis().set(key, value, setParams().ex(60));
            }
        }
        return value;
    }

    @Test
    void naiveRequestsForAnAbsentKeyAllReachTheOrigin() throws Exception {
        for (int i = 0; i < REQUESTS; i++) {
            assertThat(naiveGet(() -> fleet.origin().read(key))).isNull();
        }
        assertThat(fleet.origin().reads()).isEqualTo(REQUESTS);
    }

    @Test
    void requestsForAnAbsentKeyReachTheOriginOnce() {
        for (int i = 0; i < REQUESTS; i++) {
            assertThat(fleet.cache(i % 2).get("k", fleet.origin()::read)).isNull();
        }
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void absenceLastsForItsOwnTtlOrUntilAnInvalidation() {
        assertThat(fleet.cache(0).get("k", fleet.origin()::read)).isNull();
        assertThat(fleet.redis().pttl(fleet.valueKey("k")))
                .isBetween(1L, Duration.ofMinutes(1).toMillis());
        fleet.origin().write("created");

        fleet.cache(1).invalidate("k");

        assertThat(fleet.cache(0).get("k", fleet.origin()::read)).isEqualTo("created");
    }
}
