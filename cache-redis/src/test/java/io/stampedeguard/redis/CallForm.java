package io.stampedeguard.redis;

import io.stampedeguard.StampedeGuardedCache;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

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

    /** Requests keys, and returns the answers. */
    abstract Map<String, String> ask(
            StampedeGuardedCache<String, String> cache, List<String> keys, UnaryOperator<String> loader);

    private static Map<String, String> each(Iterable<String> keys, UnaryOperator<String> answer) {
        Map<String, String> answers = new HashMap<>();
        keys.forEach(key -> answers.put(key, answer.apply(key)));
        return answers;
    }
}
