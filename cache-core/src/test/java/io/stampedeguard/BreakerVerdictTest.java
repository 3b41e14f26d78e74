package io.stampedeguard;

import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.event.BreakerState;
import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.spi.BreakerEvents;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.ScriptedStore;
import io.stampedeguard.testkit.ScriptedStore.Call;
import io.stampedeguard.testkit.VirtualTime;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests without an answer are no reason to load without a lease before the circuit breaker has judged; and each reason counts. */
final class BreakerVerdictTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .leaseTtl(ofSeconds(2))
            .waitTimeout(ofSeconds(10))
            .build();

    private final VirtualTime time = new VirtualTime();
    private final ScriptedStore scripted = new ScriptedStore(InMemoryStore.create(time));
    private final RecordingListener listener = new RecordingListener();
    private final AtomicInteger loads = new AtomicInteger();

    /** Returns the store with a circuit breaker in a state; {@code null} for none. */
    private SharedStore store(@Nullable BreakerState state) {
        return (SharedStore) Proxy.newProxyInstance(
                SharedStore.class.getClassLoader(),
                new Class<?>[] {SharedStore.class, BreakerEvents.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "ability" ->
                        arguments[0] != BreakerEvents.class
                                ? scripted.ability((Class<?>) arguments[0])
                                : state == null ? null : proxy;
                    case "shared" -> proxy;
                    case "breaker" -> requireNonNull(state);
                    case "refusal" -> null;
                    case "watchBreaker" -> (Watch) () -> {};
                    case "sendRegardless" -> {
                        ((Runnable) arguments[0]).run();
                        yield null;
                    }
                    case "condition" -> "The store does not answer";
                    default -> {
                        try {
                            yield method.invoke(scripted, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }
                });
    }

    private StampedeGuardedCache<String, String> cache(CachePolicy policy, @Nullable BreakerState state) {
        return StampedeGuardedCache.<String, String>builder("judged")
                .store(store(state))
                .codec(StringCodec.of())
                .policy(policy)
                .listener(listener)
                .timeSource(time)
                .build();
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
