package io.stampedeguard.metrics.internal.advice;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.filter.FilterState;
import io.stampedeguard.filter.KeyFilter;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.CachePolicyBuilder;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A cache finds this module by itself: what advice an operator then gets on loads and key filter, and that it is given once. */
final class MeasuredLoadsTest {
    private final Map<EventType, String> told = new EnumMap<>(EventType.class);
    private @Nullable Fleet fleet;
    private int keys;

    private final CacheListener listener = new CacheListener() {
        @Override
        public void onEvent(String cache, CacheEvent event) {
            if (event instanceof CacheEvent.Advice advice) {
                assertThat(told.put(advice.type(), advice.words()))
                        .as("told twice")
                        .isNull();
            }
        }
    };

    private StampedeGuardedCache<String, String> cache(CachePolicyBuilder policy) {
        return cache(policy, cache -> cache);
    }

    private StampedeGuardedCache<String, String> cache(
            CachePolicyBuilder policy, UnaryOperator<StampedeGuardedCacheBuilder<String, String>> with) {
        fleet = new Fleet(1, policy.build(), cache -> with.apply(cache.listener(listener)));
        return fleet.cache(0);
    }

    /** Loads keys that no caller has requested, one after the other. */
    private void load(StampedeGuardedCache<String, String> cache, int loads, Duration each) {
        for (int i = 0; i < loads; i++) {
            cache.get("k" + keys++, key -> {
                fleet().advance(each);
                return "v";
            });
        }
    }

    private Fleet fleet() {
        return requireNonNull(fleet);
    }

    @AfterEach
    void close() {
        if (fleet != null) {
            fleet.close();
        }
    }

    private static CachePolicyBuilder policy() {
        return CachePolicy.builder()
                .softTtl(ofMinutes(1))
                .hardTtl(ofMinutes(10))
                .loadTimeout(ofMinutes(5));
    }

    @Test
    void defaultPolicyGivesNoCauseForAdvice() {
        StampedeGuardedCache<String, String> cache = cache(CachePolicy.builder());
        load(cache, 1_000, ofMillis(20));

        assertThat(told).isEmpty();
    }

    @Test
    void aHundredLoadsLongerThanLeasesAndWaitsAreToldOf() {
        StampedeGuardedCache<String, String> cache =
                cache(policy().leaseTtl(ofSeconds(1)).waitTimeout(ofSeconds(2)));
        load(cache, 99, ofSeconds(3));
        assertThat(told).isEmpty();

        load(cache, 301, ofSeconds(3));

        assertThat(told)
                .containsOnlyKeys(EventType.ADVICE_LEASE_SHORTER_THAN_LOADS, EventType.ADVICE_WAIT_SHORTER_THAN_LOADS);
        assertThat(told.get(EventType.ADVICE_WAIT_SHORTER_THAN_LOADS))
                .matches("the p99 of 100 loads is at least 2,9\\d{2} ms, longer than the waitTimeout PT2S: .*");
    }

    @Test
    void fewSlowLoadsAmongManyAreNoCause() {
        StampedeGuardedCache<String, String> cache =
                cache(policy().leaseTtl(ofSeconds(1)).waitTimeout(ofSeconds(2)));
        load(cache, 500, ofMillis(500));
        load(cache, 4, ofSeconds(4));
        load(cache, 96, ofMillis(500));

        assertThat(told).isEmpty();
    }

    @Test
    void oneSlowCallForManyKeysIsOneCall() {
        StampedeGuardedCache<String, String> cache =
                cache(policy().leaseTtl(ofSeconds(1)).waitTimeout(ofSeconds(2)));
        List<String> hundreds = IntStream.range(0, 300).mapToObj(i -> "b" + i).toList();
        cache.getAll(hundreds, keys -> {
            fleet().advance(ofSeconds(3));
            return keys.stream().collect(Collectors.toMap(key -> key, key -> "v"));
        });
        assertThat(told).isEmpty();

        load(cache, 99, ofSeconds(3));

        assertThat(told)
                .containsOnlyKeys(EventType.ADVICE_LEASE_SHORTER_THAN_LOADS, EventType.ADVICE_WAIT_SHORTER_THAN_LOADS);
    }

    @Test
    void loadsALittleShorterThanTheWaitAreNoCause() {
        load(cache(policy().leaseTtl(ofSeconds(2)).waitTimeout(ofSeconds(2))), 100, ofMillis(1_780));

        assertThat(told).isEmpty();
    }

    @Test
    void loaderBecomingSlowIsToldOfAfterManyQuickLoads() {
        StampedeGuardedCache<String, String> cache =
                cache(policy().leaseTtl(ofSeconds(1)).waitTimeout(ofSeconds(2)));
        load(cache, 10_000, ofMillis(1));
        assertThat(told).isEmpty();

        load(cache, 100, ofSeconds(3));

        assertThat(told)
                .containsKeys(EventType.ADVICE_LEASE_SHORTER_THAN_LOADS, EventType.ADVICE_WAIT_SHORTER_THAN_LOADS);
    }

    @Test
    void slowLoadsWithNothingStaleToServeAreToldOf() {
        StampedeGuardedCache<String, String> cache = cache(policy().hardTtl(ofMinutes(1)));
        load(cache, 100, ofMillis(400));

        assertThat(told).containsOnlyKeys(EventType.ADVICE_NOTHING_STALE_ON_SLOW_LOADS);
    }

    @Test
    void loadsThatNeverBeganTellNothingOfTheLoader() throws Exception {
        StampedeGuardedCache<String, String> cache = cache(
                policy().loadTimeout(ofSeconds(5)).failureCoolDown(ofMillis(1)).maxConcurrentLoads(2),
                built -> built.loaderExecutor(task -> {}));
        for (int i = 0; i < 110; i++) {
            Callers.Call<String> leader = fleet().get(0, "k" + i);
            fleet().time().awaitWaiting(1);
            fleet().advance(ofSeconds(5));
            assertThat(leader.failure()).isInstanceOf(OriginBusyException.class);
        }
        Fleet.until(() -> fleet().listener().count(EventType.LOAD_NOT_BEGUN) == 110);

        assertThat(told).isEmpty();
    }

    @Test
    void filterWithTooManyKeysIsToldOf() {
        load(cache(policy(), cache -> cache.keyFilter(new FullFilter())), 100, ofMillis(1));

        assertThat(told).containsOnlyKeys(EventType.ADVICE_FILTER_TOO_SMALL);
        assertThat(told.get(EventType.ADVICE_FILTER_TOO_SMALL))
                .startsWith(
                        "the key filter contains about 1,000 keys but was sized for 100: it lets 0.800 of nonexistent"
                                + " keys pass, not 0.010; rebuild it");
    }

    /** A filter with ten times as many keys as it was sized for. */
    private static final class FullFilter implements KeyFilter<String> {
        @Override
        public boolean mightContain(String key) {
            return true;
        }

        @Override
        public void add(String key) {}

        @Override
        public FilterState state() {
            return new FilterState(true, false, 100, 0.01, 0.95, 1_000, 0.8);
        }
    }
}
