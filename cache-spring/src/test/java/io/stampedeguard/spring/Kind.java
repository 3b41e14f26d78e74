package io.stampedeguard.spring;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The kinds of methods that Spring caches, each invoked in the same way, with the same results. */
enum Kind {
    PLAIN {
        @Override
        @Nullable
        String call(Catalog catalog, long id) throws Exception {
            return catalog.plain(id);
        }
    },
    OPTIONAL {
        @Override
        @Nullable
        String call(Catalog catalog, long id) throws Exception {
            return catalog.optional(id).orElse(null);
        }
    },
    FUTURE {
        @Override
        @Nullable
        String call(Catalog catalog, long id) throws Exception {
            return unwrapped(() -> catalog.future(id).join());
        }
    },
    MONO {
        @Override
        @Nullable
        String call(Catalog catalog, long id) throws Exception {
            return unwrapped(() -> catalog.mono(id).block());
        }
    },
    FLUX {
        @Override
        @Nullable
        String call(Catalog catalog, long id) throws Exception {
            List<String> all = unwrapped(() -> catalog.flux(id).collectList().block());
            return all.isEmpty() ? null : String.join(",", all);
        }
    };

    /** A bean whose methods all return the name of a product: none for 0, and an exception for negative numbers. */
    interface Catalog {
        @Nullable
        String plain(long id) throws Exception;

        Optional<String> optional(long id) throws Exception;

        CompletableFuture<@Nullable String> future(long id);

        Mono<String> mono(long id);

        Flux<String> flux(long id);
    }

    /** Returns the name of a product, {@code null} if there is none; throws what the method has thrown. */
    abstract @Nullable String call(Catalog catalog, long id) throws Exception;

    private static <T> T unwrapped(Supplier<T> call) throws Exception {
        try {
            return call.get();
        } catch (CompletionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        } catch (RuntimeException e) {
            if (e.getClass().getName().startsWith("reactor.") && e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        }
    }
}
