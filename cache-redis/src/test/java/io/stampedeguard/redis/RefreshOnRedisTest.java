package io.stampedeguard.redis;

import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Refreshes of three processes on a real server, while another caller's load, which began before, holds the lease. */
final class RefreshOnRedisTest {
    private final String name = "refresh-" + UUID.randomUUID();
    private final RedisStore store = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);
    private final List<CacheGauges> gauges = new CopyOnWriteArrayList<>();
    private final StampedeGuardedCache<String, String> a = cache();
    private final StampedeGuardedCache<String, String> b = cache();
    private final StampedeGuardedCache<String, String> c = cache();
    private final Callers callers = new Callers();
    private final AtomicReference<String> origin = new AtomicReference<>("old");
    private final AtomicInteger loads = new AtomicInteger();
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    private StampedeGuardedCache<String, String> cache() {
        return textCache(name, store)
                .policy(CachePolicy.builder().waitTimeout(ofMinutes(2)).build())
                .listener(new CacheListener() {
                    @Override
                    public void onOpen(String cache, CacheGauges opened) {
                        gauges.add(opened);
                    }
                })
                .build();
    }

    @AfterEach
    void close() {
        mayEnd.countDown();
        a.close();
        b.close();
        c.close();
        store.close();
        callers.close();
    }

    private String load() {
        loads.incrementAndGet();
        return origin.get();
    }

    @Test
    void earlierLoadAnswersNoRefreshAndOneMoreAnswersAll() throws Exception {
        Callers.Call<String> before = callers.call(() -> a.get("k", key -> {
            String row = load();
            Fleet.await(mayEnd);
            return row;
        }));
        Fleet.until(() -> loads.get() == 1);
        CompletableFuture<String> first = b.refresh("k", key -> load());
        CompletableFuture<String> second = c.refresh("k", key -> load());
        Fleet.until(() -> gauges.get(1).waiting() == 1 && gauges.get(2).waiting() == 1);
        origin.set("new");
        mayEnd.countDown();

        assertThat(before.result()).isEqualTo("old");
        assertThat(Callers.result(first)).isEqualTo("new");
        assertThat(Callers.result(second)).isEqualTo("new");
        assertThat(loads).hasValue(2);
        assertThat(a.getIfPresent("k")).isEqualTo("new");
    }
}
