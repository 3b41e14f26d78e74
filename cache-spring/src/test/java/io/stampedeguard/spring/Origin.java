package io.stampedeguard.spring;

import java.io.FileNotFoundException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A database of products, which counts its queries. */
class Origin {
    /** A checked exception, after which no key cools down. */
    static final class NoSuchProduct extends Exception {
        private static final long serialVersionUID = 1;

        NoSuchProduct(long id) {
            super("no product " + id);
        }
    }

    private final AtomicInteger calls = new AtomicInteger();

    int calls() {
        return calls.get();
    }

    private @Nullable String name(long id) throws Exception {
        calls.incrementAndGet();
        if (id < -100) {
            throw new FileNotFoundException("database " + id);
        }
        if (id < 0) {
            throw new NoSuchProduct(id);
        }
        return id == 0 ? null : "product " + id;
    }

    @Nullable
    public String plain(long id) throws Exception {
        return name(id);
    }

    public Optional<String> optional(long id) throws Exception {
        return Optional.ofNullable(name(id));
    }

    public CompletableFuture<@Nullable String> future(long id) {
        try {
            return CompletableFuture.completedFuture(name(id));
        } catch (Exception e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    public Mono<String> mono(long id) {
        return Mono.fromCallable(() -> name(id));
    }

    public Flux<String> flux(long id) {
        return Mono.fromCallable(() -> Optional.ofNullable(name(id))
                        .map(name -> List.of(name, "more"))
                        .orElse(List.of()))
                .flatMapIterable(all -> all);
    }
}
