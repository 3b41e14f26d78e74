package io.stampedeguard;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.BreakerState;
import io.stampedeguard.event.EventType;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.ScriptedStore;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests without an answer are no reason to load without a lease before the circuit breaker has judged; and each reason counts. */
final class BreakerVerdictTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .leaseTtl(ofSeconds(2))
            .waitTimeout(ofSeconds(10))
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(0, POLICY);

    private final ScriptedStore scripted = fleet.store();
    private final RecordingListener listener = fleet.listener();
    private final AtomicInteger loads = new AtomicInteger();

    /** Builds a cache over the store with a circuit breaker in a state; {@code null} for none. */
    private StampedeGuardedCache<String, String> cache(CachePolicy policy, @Nullable BreakerState state) {
        scripted.breaking(state);
        return fleet.builder("judged").policy(policy).build();
    }

    private String load(String key) {
        loads.incrementAndGet();
        return key + "'s";
    }

    @ParameterizedTest
    @CsvSource({"CLOSED, true", "HALF_OPEN, false", "OPEN, false", ", false"})
    void leaseIsRequestedUntilTheCircuitBreakerHasJudged(@Nullable BreakerState state, boolean isRequested) {
        try (StampedeGuardedCache<String, String> cache = cache(POLICY, state)) {
            scripted.refuse(Call.READ, Call.READ_ALL, Call.LEASE, Call.LEASE_ALL, Call.ABANDON, Call.ABANDON_ALL);
            assertThat(cache.get("another", this::load)).isEqualTo("another's");
            assertThat(listener.count(EventType.UNLEASED_UNANSWERED)).isEqualTo(1);
            scripted.heal().refuse(Call.READ, Call.READ_ALL, Call.ABANDON, Call.ABANDON_ALL);

            assertThat(cache.get("k", this::load)).isEqualTo("k's");

            assertThat(listener.count(EventType.LOAD_STORED)).isEqualTo(isRequested ? 1 : 0);
            assertThat(listener.count(EventType.UNLEASED_STORE_DOWN)).isEqualTo(isRequested ? 0 : 1);
        }
    }

    @ParameterizedTest
    @CsvSource({"CLOSED, true", "OPEN, false"})
    void leasesOfManyKeysAreRequestedUntilTheCircuitBreakerHasJudged(BreakerState state, boolean isRequested) {
        try (StampedeGuardedCache<String, String> cache = cache(POLICY, state)) {
            scripted.refuse(Call.READ, Call.READ_ALL, Call.LEASE, Call.LEASE_ALL, Call.ABANDON, Call.ABANDON_ALL);
            assertThat(cache.get("another", this::load)).isEqualTo("another's");
            scripted.heal().refuse(Call.READ, Call.READ_ALL, Call.ABANDON, Call.ABANDON_ALL);

            cache.getAll(List.of("a", "b", "c"), keys -> Map.of("a", "1", "b", "2", "c", "3"));

            assertThat(listener.count(EventType.LOAD_STORED)).isEqualTo(isRequested ? 3 : 0);
            assertThat(listener.count(EventType.UNLEASED_STORE_DOWN)).isEqualTo(isRequested ? 0 : 3);
        }
    }

    @Test
    void loadWhoseResultsAreNotStoredCountsAsSuch() {
        try (StampedeGuardedCache<String, String> cache =
                cache(POLICY.toBuilder().maxPayloadBytes(2).build(), BreakerState.CLOSED)) {
            cache.get("k", this::load);
            assertThat(listener.events()).noneMatch(event -> event.name().startsWith("UNLEASED_"));

            cache.get("k", this::load);

            assertThat(listener.events())
                    .filteredOn(event -> event.name().startsWith("UNLEASED_"))
                    .containsExactly(EventType.UNLEASED_NOT_CACHEABLE);
            assertThat(loads).hasValue(2);
        }
    }
}
