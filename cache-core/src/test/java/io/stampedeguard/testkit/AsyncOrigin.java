package io.stampedeguard.testkit;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** An origin behind an asynchronous client: reads end on threads of the client. <em>Thread-safe.</em> */
public final class AsyncOrigin implements AutoCloseable {
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "origin-client");
        thread.setDaemon(true);
        return thread;
    });

    private final Origin origin;

    /** Creates a client of an origin. */
    public AsyncOrigin(Origin origin) {
        this.origin = origin;
    }

    /** The asynchronous loader: starts reading the row. */
    public CompletionStage<@Nullable String> read(Object key) {
        return CompletableFuture.supplyAsync(() -> readNow(key), threads);
    }

    private @Nullable String readNow(Object key) {
        try {
            return origin.read(key);
        } catch (Exception e) {
            throw new CompletionException(e);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
