package io.stampedeguard.redis;

import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.EventType;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.RecordingListener;
import java.time.Duration;
import java.util.NoSuchElementException;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A failure that is an answer of the origin releases the lease on a real server, and wakes those who wait for it. */
class CoolDownOnRedisTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    /** Nobody polls, and no lease ends by itself. */
    private static final CachePolicy POLICY = CachePolicy.builder()
            .leaseTtl(LONG)
            .loadTimeout(LONG)
            .waitTimeout(LONG)
            .poll(LONG)
            .failureCoolDown(LONG)
            .coolDownOn(failure -> !(failure instanceof NoSuchElementException))
            .build();

    @AutoClose
    private final RedisStore leaders = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);

    @AutoClose
    private final RedisStore followers = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);

    @AutoClose
    private final Callers callers = new Callers();

    private final String name = "cool-down-on-" + UUID.randomUUID();

    private StampedeGuardedCache<String, String> cache(RedisStore store, RecordingListener listener) {
        return textCache(name, store).policy(POLICY).listener(listener).build();
    }

    @Test
    void callerThatWaitsLoadsForItself() throws Exception {
        CountDownLatch fails = new CountDownLatch(1);
        CountDownLatch loading = new CountDownLatch(1);
        RecordingListener waiting = new RecordingListener();
        try (StampedeGuardedCache<String, String> one = cache(leaders, new RecordingListener());
                StampedeGuardedCache<String, String> other = cache(followers, waiting)) {
            Callers.Call<String> leader = callers.call(() -> one.get("k", key -> {
                loading.countDown();
                fails.await();
                throw new NoSuchElementException(key);
            }));
            loading.await();
            Callers.Call<String> follower = callers.call(() -> other.get("k", key -> "its own"));
            waiting.await(EventType.LEASE_HELD, 1);
            fails.countDown();

            assertThat(leader.failure()).isInstanceOf(LoadException.class);
            assertThat(follower.result()).isEqualTo("its own");
            assertThat(one.get("k", key -> "another")).isEqualTo("its own");
        }
    }
}
