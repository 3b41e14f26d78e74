package io.stampedeguard.redis;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Origin;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Caches with connections of their own, as in several processes, divide one budget through Redis. */
class OriginBudgetFleetTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .originBudget(6)
            .loadTimeout(ofMinutes(5))
            .waitTimeout(ofMinutes(5))
            .build();

    private final String name = "budget-" + LeaseToken.next();
    private final List<RedisStore> stores = new ArrayList<>();
    private final List<StampedeGuardedCache<String, String>> caches = new ArrayList<>();
    private final List<CacheGauges> gauges = new CopyOnWriteArrayList<>();
    private final Origin origin = new Origin("one");
    private final Callers callers = new Callers();

    @BeforeEach
    void openThree() {
        for (int i = 0; i < 3; i++) {
            RedisStore store = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);
            stores.add(store);
            caches.add(textCache(name, store)
                    .policy(POLICY)
                    .listener(new CacheListener() {
                        @Override
                        public void onOpen(String cache, CacheGauges ofOne) {
                            gauges.add(ofOne);
                        }
                    })
                    .build());
        }
        until(() -> sharesAre(2, 2, 2));
    }

    @AfterEach
    void close() {
        origin.open();
        caches.forEach(StampedeGuardedCache::close);
        stores.forEach(RedisStore::close);
        callers.close();
    }

    private boolean sharesAre(Integer... shares) {
        return gauges.stream().map(CacheGauges::loadPermits).toList().equals(List.of(shares));
    }

    @Test
    void allCachesTogetherReachButNeverExceedTheBudget() throws Exception {
        origin.close();
        List<Callers.Call<String>> calls = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            StampedeGuardedCache<String, String> cache = caches.get(i % 3);
            String key = "k" + i;
            calls.add(callers.call(() -> cache.get(key, origin::read)));
        }
        until(() -> gauges.stream().mapToInt(CacheGauges::waiting).sum() == 24 && origin.running() == 6);

        origin.open();
        assertThat(Callers.results(calls)).containsOnly("one");

        assertThat(origin.mostAtOnce()).isEqualTo(6);
        assertThat(gauges).allSatisfy(each -> assertThat(each.fleetProcesses()).isEqualTo(3));
    }

    @Test
    void closedProcessLeavesItsShareToTheOthers() {
        caches.get(0).close();
        gauges.remove(0);

        until(() -> sharesAre(3, 3));
        assertThat(gauges).allSatisfy(each -> assertThat(each.fleetProcesses()).isEqualTo(2));
    }
}
