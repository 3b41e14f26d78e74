package io.stampedeguard.examples.micronaut;

import io.micronaut.context.ApplicationContext;
import io.micronaut.runtime.server.EmbeddedServer;
import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.examples.micronaut.guarded.GuardedSyncCache;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** One process of the application, on a port of its own. All of them have the same database. */
record Application(EmbeddedServer server) implements AutoCloseable {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    static Application start(String redis) {
        return new Application(
                ApplicationContext.run(EmbeddedServer.class, Map.of("redis.uri", redis, "micronaut.server.port", -1)));
    }

    @Override
    public void close() {
        server.close();
    }

    <T> T bean(Class<T> type) {
        return server.getApplicationContext().getBean(type);
    }

    StampedeGuardedCache<?, ?> cache() {
        return bean(GuardedSyncCache.class).getNativeCache();
    }

    /** Returns how many callers have recently waited for the product, in this process. */
    long waits(long id) {
        return cache().hotKeys(100).getOrDefault(Long.toString(id), 0L);
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(request(path));
    }

    HttpResponse<String> put(String path, String text) throws IOException, InterruptedException {
        return send(request(path).header("Content-Type", "text/plain").PUT(BodyPublishers.ofString(text)));
    }

    HttpResponse<String> post(String path, String json) throws IOException, InterruptedException {
        return send(request(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(json)));
    }

    /** Begins requests for a product at once, and does not wait for them. */
    List<CompletableFuture<String>> requests(int count, long id) {
        HttpRequest request = request("/products/" + id).build();
        return IntStream.range(0, count)
                .mapToObj(each ->
                        CLIENT.sendAsync(request, BodyHandlers.ofString()).thenApply(HttpResponse::body))
                .toList();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(server.getURI() + path));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return CLIENT.send(request.build(), BodyHandlers.ofString());
    }
}
