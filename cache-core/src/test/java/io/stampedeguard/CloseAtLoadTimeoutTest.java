package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.LoadTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.VirtualTime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
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

    private final VirtualTime time = new VirtualTime();
    private final InMemoryStore store = InMemoryStore.create(time);
    private final Origin origin = new Origin("one");
    private final Callers callers = new Callers();
    private final AtomicReference<CacheGauges> gauges = new AtomicReference<>();
    private final AtomicReference<Thread> heldUp = new AtomicReference<>();
    private final CountDownLatch goesOn = new CountDownLatch(1);
    private final StampedeGuardedCache<String, String> cache = StampedeGuardedCache.<String, String>builder("cut")
            .store(store)
            .codec(StringCodec.of())
            .policy(POLICY)
            .asyncExecutor(holdingUp())
            .listener(new CacheListener() {
                @Override
                public void onOpen(String name, CacheGauges opened) {
                    gauges.set(opened);
                }
            })
            .timeSource(time)
            .build();

    /** Returns an executor that holds up a thread, should it complete a flight: the leader may do so as well. */
    private Executor holdingUp() {
        return task -> {
            if (Thread.currentThread() == heldUp.get()) {
                try {
                    goesOn.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            new Thread(task).start();
        };
    }

    @AfterEach
    void close() {
        goesOn.countDown();
        origin.open();
        closeAtOnce();
        callers.close();
    }

    /** Closes the cache without a grace period, for which somebody would have to advance the clock. */
    private void closeAtOnce() {
        Thread.currentThread().interrupt();
        cache.close();
        Thread.interrupted();
    }

    @Test
    void theLeaseIsReleasedAllTheSame() throws Exception {
        origin.close();
        Callers.Call<String> leader = callers.call(() -> cache.get("k", origin::read));
        until(() -> origin.running() == 1);
        CompletableFuture<String> follower = cache.getAsync("k", key -> CompletableFuture.completedFuture("two"));
        until(() -> gauges.get().waiting() == 1);

        Callers.Call<Boolean> timer = callers.call(() -> {
            heldUp.set(Thread.currentThread());
            time.advance(POLICY.loadTimeout());
            return true;
        });
        assertThat(leader.failure()).isInstanceOf(LoadTimeoutException.class);
        closeAtOnce();

        assertThat(on(store).lease("cut:k", LeaseToken.next(), null, POLICY.leaseTtl()))
                .as("the key cools down")
                .isInstanceOf(LeaseAttempt.Failed.class);
        goesOn.countDown();
        assertThat(timer.result()).isTrue();
        assertThat(follower).failsWithin(ofMinutes(1));
    }
}
