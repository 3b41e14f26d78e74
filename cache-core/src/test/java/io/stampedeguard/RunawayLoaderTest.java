package io.stampedeguard;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.store.LeaseState;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.ScriptedStore;
import io.stampedeguard.testkit.ScriptedStore.Call;
import io.stampedeguard.testkit.VirtualTime;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A loader that requests key after key until the stack overflows leaves nothing behind. */
final class RunawayLoaderTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .leaseTtl(ofSeconds(2))
            .loadTimeout(ofSeconds(30))
            .waitTimeout(ofSeconds(10))
            .closeTimeout(ofSeconds(0))
            .build();

    private final VirtualTime time = new VirtualTime();
    private final ScriptedStore store = new ScriptedStore(InMemoryStore.create(time));
    private final Callers callers = new Callers();
    private final AtomicInteger deepest = new AtomicInteger();
    private final StampedeGuardedCache<Integer, String> cache = StampedeGuardedCache.<Integer, String>builder("runaway")
            .store(store)
            .codec(StringCodec.of())
            .policy(POLICY)
            .timeSource(time)
            .build();

    @AfterEach
    void close() {
        cache.close();
        callers.close();
    }

    private String next(int key) {
        deepest.accumulateAndGet(key, Math::max);
        return cache.get(key + 1, this::next);
    }

    /** Runs after a load that succeeds and one that fails, so that the overflow does not occur during class loading. */
    private void runAway() {
        cache.get(-1, key -> cache.get(-2, k -> "loaded") + key);
        assertThatThrownBy(() -> cache.get(-3, key -> {
                    throw new StackOverflowError();
                }))
                .isInstanceOf(StackOverflowError.class);
        assertThatThrownBy(() -> cache.get(0, this::next)).isInstanceOf(Throwable.class);
        assertThat(deepest).hasValueGreaterThan(10);
    }

    @Test
    void noLeaseIsRenewedBeyondTheLoadTimeout() {
        runAway();

        for (int second = 0; second < 33; second++) {
            time.advance(ofSeconds(1));
        }
        int renewals = store.count(Call.RENEW);
        for (int second = 0; second < 5; second++) {
            time.advance(ofSeconds(1));
        }

        assertThat(store.count(Call.RENEW)).isEqualTo(renewals);
        for (int key = 0; key <= deepest.get() + 1; key++) {
            assertThat(store.inspect("runaway:" + key).lease())
                    .as("key %d", key)
                    .isInstanceOf(LeaseState.Free.class);
        }
    }

    @Test
    void everyKeyCanBeLoadedAfterwards() throws Exception {
        runAway();
        for (int second = 0; second < 40; second++) {
            time.advance(ofSeconds(1));
        }

        callers.call(() -> {
                    for (int key = 0; key <= deepest.get() + 1; key++) {
                        assertThat(cache.get(key, any -> "loaded"))
                                .as("key %d", key)
                                .isEqualTo("loaded");
                    }
                    return null;
                })
                .result();
    }
}
