package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.testkit.ChangesEar;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** How a caller requests keys. */
enum CallForm {
    GET {
        @Override
        Map<String, String> ask(
                StampedeGuardedCache<String, String> cache, List<String> keys, UnaryOperator<String> loader) {
            return each(keys, key -> cache.get(key, loader::apply));
        }
    },
    GET_ASYNC {
        @Override
        Map<String, String> ask(
                StampedeGuardedCache<String, String> cache, List<String> keys, UnaryOperator<String> loader) {
            return each(
                    keys,
                    key -> cache.getAsync(key, wanted -> CompletableFuture.completedFuture(loader.apply(wanted)))
                            .join());
        }
    },
    GET_ALL {
        @Override
        Map<String, String> ask(
                StampedeGuardedCache<String, String> cache, List<String> keys, UnaryOperator<String> loader) {
            return cache.getAll(keys, wanted -> each(wanted, loader));
        }
    },
    GET_ALL_ASYNC {
        @Override
        Map<String, String> ask(
                StampedeGuardedCache<String, String> cache, List<String> keys, UnaryOperator<String> loader) {
            return cache.getAllAsync(keys, wanted -> each(wanted, loader)).join();
        }
    };

    private static final int KEYS = 10;
    private static final int PASSES = 5;
    private static final long CERTAIN_NANOS = Duration.ofSeconds(2).toNanos();

    /** Requests keys, and returns the answers. */
    abstract Map<String, String> ask(
            StampedeGuardedCache<String, String> cache, List<String> keys, UnaryOperator<String> loader);

    /**
     * Asserts that each of ten keys, requested five times, is loaded once. A round proves nothing, and is repeated with other keys, if it
     * takes longer than a copy answers without the messages of changes, or if the connection for them was cut: on a machine that stalls.
     *
     * @param loads counts the calls of the loader
     * @param ear is connected like the cache
     */
    void assertEachIsLoadedOnce(
            StampedeGuardedCache<String, String> cache,
            UnaryOperator<String> loader,
            AtomicInteger loads,
            ChangesEar ear) {
        AtomicInteger rounds = new AtomicInteger();
        Fleet.until(() -> {
            int round = rounds.incrementAndGet();
            List<String> keys = IntStream.range(0, KEYS)
                    .mapToObj(i -> this + "-" + round + "-" + i)
                    .toList();
            loads.set(0);
            long gaps = ear.count("disconnected");
            long began = System.nanoTime();
            for (int i = 0; i < PASSES; i++) {
                assertThat(ask(cache, keys, loader).values()).hasSize(KEYS).containsOnly("row");
            }
            if (System.nanoTime() - began >= CERTAIN_NANOS) {
                return false;
            }
            if (loads.get() != KEYS) {
                ear.awaitAll();
                assertThat(ear.count("disconnected")).as("loads: %s", loads).isGreaterThan(gaps);
                return false;
            }
            return true;
        });
    }

    private static Map<String, String> each(Iterable<String> keys, UnaryOperator<String> answer) {
        Map<String, String> answers = new HashMap<>();
        keys.forEach(key -> answers.put(key, answer.apply(key)));
        return answers;
    }
}
