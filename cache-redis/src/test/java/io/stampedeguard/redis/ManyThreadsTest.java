package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A thousand callers use a newly connected store: virtual threads where Java has them. */
class ManyThreadsTest {
    private static final int CALLERS = 1_000;
    private static final Duration LONG = Duration.ofMinutes(1);

    @Test
    void aThousandCallersDoNotStallOnAFreshStore() throws Exception {
        String key = "many:" + LeaseToken.next();
        CountDownLatch start = new CountDownLatch(1);
        // Queueing for 16 connections behind 1,000 others is fair, but slow on a busy machine.
        RedisStoreOptions options = RedisStoreOptions.builder()
                .commandTimeout(Duration.ofSeconds(60))
                .circuitBreaker(false)
                .build();
        ExecutorService threads = ManyThreads.create();
        try (RedisStore store = RedisStore.connect(SharedRedis.uri(), options)) {
            Callable<Boolean> caller = () -> {
                start.await();
                assertThat(on(store).read(key)).isNull();
                boolean granted = on(store).lease(key, LeaseToken.next(), null, LONG) instanceof LeaseAttempt.Granted;
                assertThat(store.shared().currentTimeMillis()).isPositive();
                return granted;
            };
            List<Future<Boolean>> answers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                answers.add(threads.submit(caller));
            }
            start.countDown();
            int granted = 0;
            for (Future<Boolean> answer : answers) {
                granted += answer.get(3, TimeUnit.MINUTES) ? 1 : 0;
            }
            assertThat(granted).isEqualTo(1);
            on(store).invalidate(key);
        } finally {
            threads.shutdownNow();
        }
    }
}
