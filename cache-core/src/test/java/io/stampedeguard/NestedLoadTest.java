package io.stampedeguard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.Operation;
import io.stampedeguard.event.OperationScope;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.RecursiveLoadException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A loader may request other keys of its cache, and does not wait for itself. */
final class NestedLoadTest {
    private static final CachePolicy ONE_AT_A_TIME = CachePolicy.builder()
            .maxConcurrentLoads(1)
            .failureCoolDown(Duration.ZERO)
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(0, ONE_AT_A_TIME);

    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final StampedeGuardedCache<String, String> cache = builder().build();

    private StampedeGuardedCacheBuilder<String, String> builder() {
        return fleet.builder("nested");
    }

    @AfterEach
    void close() {
        cache.close();
        executor.shutdownNow();
    }

    @Test
    void loaderMayAskForOtherKeysThoughOnlyOneLoadMayRun() {
        assertThat(cache.get("a", a -> cache.get("b", b -> cache.get("c", c -> c) + b) + a))
                .isEqualTo("cba");
        assertThat(cache.get("b", b -> "loaded again")).isEqualTo("cb");
        assertThat(cache.get("d", d -> cache.get("e", e -> e) + d))
                .as("the permit is free again")
                .isEqualTo("ed");
    }

    @Test
    void loaderThatAsksForItsOwnKeyIsTold() {
        assertThatThrownBy(() -> cache.get("a", a -> cache.get("a", again -> "never")))
                .isInstanceOf(LoadException.class)
                .cause()
                .isInstanceOf(RecursiveLoadException.class)
                .hasMessage(
                        "the loader of 'nested:a' requested the key that it is loading; it may request other keys only");
    }

    @Test
    void loaderThatAsksForItsOwnKeyThroughAnotherIsTold() {
        assertThatThrownBy(() -> cache.get("a", a -> cache.get("b", b -> cache.get("a", again -> "never"))))
                .hasRootCauseInstanceOf(RecursiveLoadException.class);
        assertThat(cache.get("a", a -> "now")).isEqualTo("now");
    }

    @Test
    void threadLeavesItsLoaderIfAListenerExhaustsMemory() {
        CacheListener starving = new CacheListener() {
            @Override
            public OperationScope onOperation(String name, Operation step) {
                if (step == Operation.LOAD) {
                    throw new OutOfMemoryError("no room");
                }
                return OperationScope.NONE;
            }
        };
        try (StampedeGuardedCache<String, String> other =
                builder().listener(starving).build()) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> other.get("a", a -> "never")).isInstanceOf(OutOfMemoryError.class);
            }
        }
    }

    @Test
    void loaderMayGoOnWithoutWhatItAskedFor() {
        String value = cache.get("a", a -> {
            try {
                return cache.get("a", again -> "never");
            } catch (RecursiveLoadException told) {
                return "something else";
            }
        });
        assertThat(value).isEqualTo("something else");
    }

    @Test
    void allThisHoldsOnAnExecutorForLoaders() {
        try (StampedeGuardedCache<String, String> elsewhere =
                builder().loaderExecutor(executor).build()) {
            assertThat(elsewhere.get("a", a -> elsewhere.get("b", b -> b) + a)).isEqualTo("ba");
            assertThatThrownBy(() -> elsewhere.get("c", c -> elsewhere.get("c", again -> "never")))
                    .hasRootCauseInstanceOf(RecursiveLoadException.class);
        }
    }

    @Test
    void sameKeyOfAnotherCacheIsAnotherKey() {
        try (StampedeGuardedCache<String, String> other =
                builder().store(InMemoryStore.create(fleet.time())).build()) {
            assertThat(cache.get("a", a -> other.get("a", b -> "fine"))).isEqualTo("fine");
        }
    }
}
