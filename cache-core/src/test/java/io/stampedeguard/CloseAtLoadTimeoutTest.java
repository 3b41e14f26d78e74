package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.LoadTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** {@code close()} at the moment at which the {@code loadTimeout} cuts a load off, whose timer is held up on the way. */
final class CloseAtLoadTimeoutTest {
    /** The lease outlives the test: what ends it earlier is its release. */
    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(ofMinutes(10))
            .leaseTtl(ofMinutes(5))
            .loadTimeout(ofSeconds(10))
            .waitTimeout(ofMinutes(9))
            .build();

    private final AtomicReference<Thread> heldUp = new AtomicReference<>();
    private final CountDownLatch goesOn = new CountDownLatch(1);

    @AutoClose
    private final Fleet fleet = new Fleet(1, POLICY, cache -> cache.asyncExecutor(holdingUp()));

    /** Returns an executor that holds up a thread, should it complete a flight: the leader may do so as well. */
    private Executor holdingUp() {
        return task -> {
            if (Thread.currentThread() == heldUp.get()) {
                Fleet.await(goesOn);
            }
            new Thread(task).start();
        };
    }

    @Test
    void theLeaseIsReleasedAllTheSame() throws Exception {
        Callers.Call<String> leader = fleet.loading(0, "k");
        CompletableFuture<String> follower =
                fleet.cache(0).getAsync("k", key -> CompletableFuture.completedFuture("two"));
        until(() -> fleet.gauges(0).waiting() == 1);

        Callers.Call<Boolean> timer = fleet.callers().call(() -> {
            heldUp.set(Thread.currentThread());
            fleet.advance(POLICY.loadTimeout());
            return true;
        });
        assertThat(leader.failure()).isInstanceOf(LoadTimeoutException.class);
        Fleet.closeAtOnce(fleet.cache(0));

        assertThat(on(fleet.store()).lease("fleet:k", LeaseToken.next(), null, POLICY.leaseTtl()))
                .as("the key cools down")
                .isInstanceOf(LeaseAttempt.Failed.class);
        goesOn.countDown();
        assertThat(timer.result()).isTrue();
        assertThat(follower).failsWithin(ofMinutes(1));
    }
}
