package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.EventType;
import io.stampedeguard.loader.LoadTimeoutException;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.RecentLoadFailureException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A loader that does not return blocks nothing but its thread. */
final class LoadTimeoutTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(ofSeconds(100))
            .leaseTtl(ofSeconds(60))
            .loadTimeout(ofSeconds(5))
            .waitTimeout(ofSeconds(8))
            .failureCoolDown(ofMillis(200))
            .maxConcurrentLoads(2)
            .jitter(0)
            .build();

    private final Fleet fleet = new Fleet(2, POLICY);
    private final CountDownLatch hangs = new CountDownLatch(1);
    private final AtomicInteger hanging = new AtomicInteger();

    @AfterEach
    void close() {
        hangs.countDown();
        fleet.close();
    }

    @Test
    void loaderThatHeedsItsInterruptIsCutOffAtTheLoadTimeout() throws Exception {
        fleet.origin().close();
        Callers.Call<Boolean> leader = fleet.callers().call(() -> {
            assertThatThrownBy(() -> fleet.cache(0).get("k", fleet.origin()::read))
                    .isInstanceOf(LoadTimeoutException.class)
                    .hasMessage("the loader for 'fleet:k' did not return within the loadTimeout PT5S");
            return Thread.currentThread().isInterrupted();
        });
        until(() -> fleet.origin().running() == 1);
        Callers.Call<String> follower = fleet.get(0, "k");
        Callers.Call<String> elsewhere = fleet.get(1, "k");
        fleet.time().awaitWaiting(2);

        fleet.advance(ofSeconds(5));

        assertThat(leader.result()).as("the interrupt was the loader's").isFalse();
        assertThat(follower.failure()).isInstanceOf(LoadTimeoutException.class);
        assertThat(elsewhere.failure())
                .isInstanceOf(RecentLoadFailureException.class)
                .hasMessageContaining("LoadTimeoutException");
        assertThat(fleet.listener().count(EventType.LOAD_TIMED_OUT)).isEqualTo(1);
        assertThat(fleet.listener().amounts(EventType.STUCK_LOADS)).isEmpty();
    }

    @Test
    void hungLoadersKeyIsLoadedAgainAfterTheCoolDown() throws Exception {
        Callers.Call<String> hung = hang(0, "k");
        fleet.advance(ofSeconds(5));
        until(() -> fleet.store().done(Call.FAIL) == 1);
        fleet.advance(ofMillis(200));

        assertThat(fleet.cache(0).get("k", key -> "good")).isEqualTo("good");

        hangs.countDown();
        assertThat(hung.failure()).isInstanceOf(LoadTimeoutException.class);
        assertThat(fleet.cache(1).get("k", key -> "not called"))
                .as("the late result is nobody's")
                .isEqualTo("good");
    }

    @Test
    void stuckLoadersAreCountedAndReleasePermitsUpToACap() throws Exception {
        for (int i = 0; i < 4; i++) {
            hang(0, "k" + i);
            fleet.advance(ofSeconds(5));
            until(() -> fleet.listener().count(EventType.LOAD_TIMED_OUT) > 0);
            fleet.advance(ofMillis(100));
            long stuck = i + 1;
            until(() -> fleet.listener().amounts(EventType.STUCK_LOADS).contains(stuck));
        }

        Callers.Call<String> refused = fleet.get(0, "k9");
        fleet.time().awaitWaiting(1);
        fleet.advance(POLICY.waitTimeout());
        assertThat(refused.failure())
                .as("two hang without a permit, two keep theirs")
                .isInstanceOf(OriginBusyException.class);
        assertThat(fleet.get(1, "k9").result()).isEqualTo("one");

        hangs.countDown();
        until(() -> fleet.listener().amounts(EventType.STUCK_LOADS).contains(0L));
        assertThat(fleet.cache(0).get("k10", key -> "again")).isEqualTo("again");
    }

    @Test
    void loaderThatReturnsInTimeIsNotInterruptedLater() throws Exception {
        fleet.cache(0).get("k", fleet.origin()::read);
        fleet.advance(ofSeconds(6));

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(fleet.listener().count(EventType.LOAD_TIMED_OUT)).isZero();
    }

    /** A load that ignores its interrupt. */
    private Callers.Call<String> hang(int process, String key) {
        int before = hanging.get();
        Callers.Call<String> call = fleet.callers()
                .call(() -> fleet.cache(process).get(key, k -> {
                    hanging.incrementAndGet();
                    while (true) {
                        try {
                            if (hangs.await(60, TimeUnit.SECONDS)) {
                                return "late";
                            }
                        } catch (InterruptedException ignored) {
                            // like a driver that waits on a lost connection
                        }
                    }
                }));
        until(() -> hanging.get() == before + 1);
        return call;
    }
}
