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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Trap 12: a late writer after an invalidation. A value read before the change is stored after it. */
final class LateWriterTrapTest {
    @AutoClose
    private final RedisFleet fleet = new RedisFleet(
            2, CachePolicy.builder().leaseTtl(Duration.ofMinutes(1)).build());

    private final String key = fleet.name() + ":naive";
    private final String lock = key + ":lock";

    private @Nullable String naiveGet(Callable<String> loader) throws Exception {
        String value = fleet.redis().get(key);
        if (value == null && fleet.redis().set(lock, "locked", setParams().nx().ex(60)) != null) {
            value = loader.call();
            fleet.redis().set(key, value, setParams().ex(60));
            fleet.redis().del(lock);
        }
        return value;
    }

    @Test
    void naiveLateWriterPutsTheOldValueBackAndNobodyReloadsIt() throws Exception {
        fleet.origin().close();
        Callers.Call<String> late =
                fleet.callers().call(() -> naiveGet(() -> fleet.origin().read(key)));
        until(() -> fleet.origin().running() == 1);
        fleet.origin().write("new row");
        fleet.redis().del(key);
        fleet.origin().open();
        late.result();

        for (int i = 0; i < 10; i++) {
            assertThat(naiveGet(() -> fleet.origin().read(key)))
                    .as("the old row")
                    .isEqualTo("row");
        }
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void lateWriterIsRefusedAndLaterCallersGetTheNewValue() throws Exception {
        fleet.origin().close();
        Callers.Call<String> late = fleet.get(0, "k");
        until(() -> fleet.origin().running() == 1);
        fleet.origin().write("new row");
        fleet.cache(1).invalidate("k");
        fleet.origin().open();

        assertThat(late.result()).as("its own caller came before").isEqualTo("row");
        assertThat(fleet.redis().exists(fleet.valueKey("k"))).isFalse();
        assertThat(fleet.cache(0).get("k", fleet.origin()::read)).isEqualTo("new row");
        assertThat(fleet.cache(1).get("k", fleet.origin()::read)).isEqualTo("new row");
        assertThat(fleet.listener().count(EventType.LOAD_FENCED)).isEqualTo(1);
    }
}
