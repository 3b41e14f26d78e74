package io.stampedeguard.redis.traps;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.ProxiedStore.pass;
import static org.assertj.core.api.Assertions.assertThat;
import static redis.clients.jedis.params.SetParams.setParams;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisFleet;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.ProxiedStore;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Trap 6: check the owner, then {@code DEL}, in two commands. The lock changes hands between them. */
final class CheckThenDeleteTrapTest {
    @AutoClose
    private final RedisFleet fleet = new RedisFleet(
            2, CachePolicy.builder().leaseTtl(Duration.ofMinutes(1)).build());

    private final String lock = fleet.name() + ":naive:lock";

    private boolean naiveTryLock(String owner) {
        return fleet.redis().set(lock, owner, setParams().nx().ex(60)) != null;
    }

    private void naiveUnlock(String owner, Runnable pause) {
        if (owner.equals(fleet.redis().get(lock))) {
            pause.run();
            fleet.redis().del(lock);
        }
    }

    @Test
    void naiveHolderPausedBeforeItsDeleteFreesTheLockOfTheNext() {
        assertThat(naiveTryLock("first")).isTrue();

        naiveUnlock("first", () -> {
            fleet.runOut(lock);
            assertThat(naiveTryLock("second")).isTrue();
        });

        assertThat(naiveTryLock("third")).as("while the second one works").isTrue();
    }

    /** Check and write are one script: the latest moment at which a process can be paused is before it. */
    @ParameterizedTest
    @ValueSource(classes = {LeaseEnd.Publish.class, LeaseEnd.Fail.class})
    void leaderPausedBeforeItGivesItsLeaseBackLeavesTheNextAlone(Class<? extends LeaseEnd> givesBack) throws Exception {
        AtomicReference<Callers.Call<String>> second = new AtomicReference<>();
        StampedeGuardedCache<String, String> paused = fleet.join(
                Duration.ZERO,
                store -> pausedBefore(givesBack, store, () -> {
                    fleet.runOut(fleet.leaseKey("k"));
                    fleet.origin().close();
                    second.set(fleet.get(0, "k"));
                    until(() -> fleet.origin().running() == 1);
                }));

        Callers.Call<String> first = fleet.callers()
                .call(() -> paused.get("k", key -> {
                    if (givesBack == LeaseEnd.Fail.class) {
                        throw new IOException("origin is down");
                    }
                    return "late";
                }));
        until(first::isOver);

        Callers.Call<String> third = fleet.get(1, "k");
        until(() -> fleet.listener().count(EventType.LEASE_HELD) >= 1);
        fleet.origin().open();
        assertThat(second.get().result()).isEqualTo("row");
        assertThat(third.result()).isEqualTo("row");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    private static SharedStore pausedBefore(Class<? extends LeaseEnd> givesBack, CacheStore store, Runnable pause) {
        return ProxiedStore.of((called, arguments) -> {
            if (called.getName().equals("ability")) {
                return null;
            }
            if (called.getName().equals("end") && ends(arguments).anyMatch(givesBack::isInstance)) {
                pause.run();
            }
            return pass(store.shared(), called, arguments);
        });
    }

    private static Stream<?> ends(Object[] arguments) {
        return ((Map<?, ?>) arguments[0]).values().stream();
    }
}
