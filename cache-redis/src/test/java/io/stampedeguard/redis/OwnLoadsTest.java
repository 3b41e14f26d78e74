package io.stampedeguard.redis;

import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** A call for many keys beside another process, on a real Redis: the time in which the call loads itself is no wait. */
class OwnLoadsTest {
    /** Redis' clock is real, that of the caches is not: nothing is renewed, and no lease ends. */
    private static final CachePolicy POLICY = CachePolicy.builder()
            .leaseTtl(Duration.ofMinutes(10))
            .loadTimeout(Duration.ofMinutes(10))
            .waitTimeout(Duration.ofMillis(500))
            .build();

    private final VirtualTime time = new VirtualTime();
    private final RedisStore one = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);
    private final RedisStore other = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final String first = "first " + LeaseToken.next();
    private final String last = "last " + LeaseToken.next();

    @AfterEach
    void close() {
        threads.shutdownNow();
        one.close();
        other.close();
    }

    private StampedeGuardedCache<String, String> cache(RedisStore store) {
        return textCache("own-loads", store)
                .policy(POLICY)
                .loader(this::loadSlowly)
                .timeSource(time)
                .build();
    }

    private String loadSlowly(String key) {
        time.advance(POLICY.waitTimeout().multipliedBy(2));
        return key;
    }

    @ForEach
    void aCallThatLoadsForLongStillWaitsForAnotherProcess(boolean oneByOne) throws Exception {
        CountDownLatch inLoader = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        try (StampedeGuardedCache<String, String> here = cache(one);
                StampedeGuardedCache<String, String> there = cache(other)) {
            Future<String> leads = threads.submit(() -> there.get(last, key -> {
                inLoader.countDown();
                gate.await();
                return "row";
            }));
            inLoader.await();
            Future<Map<String, String>> all = threads.submit(() -> oneByOne
                    ? here.getAll(List.of(first, last))
                    : here.getAll(List.of(first, last), keys -> Map.of(first, loadSlowly(first))));
            time.awaitWaiting(1);
            gate.countDown();

            assertThat(all.get(1, TimeUnit.MINUTES)).containsExactly(Map.entry(first, first), Map.entry(last, "row"));
            assertThat(leads.get(1, TimeUnit.MINUTES)).isEqualTo("row");
        }
    }
}
