package io.stampedeguard;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.codec.BytesCodec;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.VirtualTime;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Callers that change their array change no other caller's. */
final class MutableValuesTest {
    private final VirtualTime time = new VirtualTime();
    private final Callers callers = new Callers();
    private final StampedeGuardedCache<String, byte[]> cache = StampedeGuardedCache.<String, byte[]>builder("bytes")
            .store(InMemoryStore.create(time))
            .codec(BytesCodec.of())
            .policy(CachePolicy.builder().waitTimeout(ofSeconds(10)).build())
            .nearCache(NearCacheOptions.builder().maximumSize(10).build())
            .timeSource(time)
            .build();

    @AfterEach
    void close() {
        cache.close();
        callers.close();
    }

    private static byte[] spoilt(byte[] value) {
        assertThat(value).containsExactly(1, 2, 3);
        value[0] = 42;
        return value;
    }

    private static byte[] load(String key) {
        return new byte[] {1, 2, 3};
    }

    @Test
    void eachGetHasAnArrayOfItsOwn() throws Exception {
        for (int i = 0; i < 3; i++) {
            spoilt(cache.get("k", MutableValuesTest::load));
            spoilt(cache.getAsync("k", key -> CompletableFuture.completedFuture(load(key)))
                    .get());
            spoilt(cache.getAll(List.of("k"), keys -> java.util.Map.of("k", load("k")))
                    .get("k"));
        }
    }

    @Test
    void callersOfOneLoadHaveArraysOfTheirOwn() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        List<Callers.Call<byte[]>> calls = callers.call(
                8,
                () -> cache.get("k", key -> {
                    gate.await();
                    return load(key);
                }));
        time.awaitWaiting(7);
        gate.countDown();

        for (Callers.Call<byte[]> call : calls) {
            spoilt(call.result());
        }
    }
}
