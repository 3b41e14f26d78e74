package io.stampedeguard.internal.near;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.CacheListener;
import io.stampedeguard.internal.near.Copy.Ticket;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.HotKeys;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The watch of changes of a near cache that answers only in an outage. */
class NearCacheTest {
    private static final String KEY = "near:k";

    private final VirtualTime time = new VirtualTime();
    private final AtomicInteger watches = new AtomicInteger();
    private final AtomicReference<Runnable> whenItEnds = new AtomicReference<>(() -> {});
    private final NearCache<String, String> near = new NearCache<>(
            new CacheContext(
                    "near",
                    CachePolicy.defaults(),
                    time,
                    new CacheEvents("near", new CacheListener() {}, time),
                    new HotKeys("near", time)),
            null,
            (cache, listeners) -> watch(),
            () -> 0,
            entry -> 0,
            null);

    private Watch watch() {
        watches.incrementAndGet();
        return () -> {
            watches.decrementAndGet();
            whenItEnds.get().run();
        };
    }

    @Test
    void anOutageThatIsNoticedAfterTheCloseBeginsNone() {
        near.close();

        assertThat(near.openAside(KEY, false)).isSameAs(Ticket.NONE);
        assertThat(watches).hasValue(0);
    }

    /** Its end may send commands. */
    @Test
    void otherCallersDoNotWaitForItsEnd() throws Exception {
        assertThat(near.openAside(KEY, false)).isNotSameAs(Ticket.NONE);
        assertThat(watches).hasValue(1);
        CompletableFuture<Ticket> other = new CompletableFuture<>();
        whenItEnds.set(() -> {
            new Thread(() -> other.complete(near.openAside(KEY, false))).start();
            try {
                other.get(60, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new AssertionError("another caller waits for the lock", e);
            }
        });

        time.advance(Duration.ofDays(1));
        near.noteAbsent("k", Ticket.NONE); // the outage is long over
        whenItEnds.set(() -> {});

        assertThat(other).isCompleted();
        assertThat(watches).as("a new outage").hasValue(1);
        near.close();
        assertThat(watches).hasValue(0);
    }
}
