package io.stampedeguard.demo.dashboard;

import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.filter.redis.RedisKeyFilter;
import io.stampedeguard.metrics.MicrometerListener;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.RedisStoreOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Represents one process of a fleet: a cache with all its parts, on connections of its own to a real Redis, with a
 * registry that Prometheus can scrape. <em>Thread-safe.</em>
 */
final class WatchedProcess implements AutoCloseable {
    static final String CACHE = "products";

    private static final int NEAR_ENTRIES = 40;
    private static final int EXPECTED_KEYS = 2_000;

    /** Longer than any machine is busy: only a Redis that was stopped does not answer. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final RedisStoreOptions OPTIONS =
            RedisStoreOptions.builder().commandTimeout(PATIENCE).build();

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ExecutorService scrapes = Executors.newSingleThreadExecutor();
    private final HttpServer server;
    private final RedisStore store;
    private final RedisKeyFilter<Long> filter;
    private final StampedeGuardedCache<Long, String> cache;

    WatchedProcess(String redis, CachePolicy policy, SlowOrigin origin) throws IOException {
        store = RedisStore.connect(redis, OPTIONS);
        filter = RedisKeyFilter.<Long>builder(CACHE, store)
                .expectedKeys(EXPECTED_KEYS)
                .build();
        cache = StampedeGuardedCache.<Long, String>builder(CACHE)
                .store(store)
                .codec(StringCodec.of())
                .policy(policy)
                .nearCache(NearCacheOptions.builder().maximumSize(NEAR_ENTRIES).build())
                .keyValidator(key -> key > 0)
                .keyFilter(filter)
                .listener(MicrometerListener.builder(registry).histograms(true).build())
                .loader(origin::load)
                .build();
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        serve();
    }

    private void serve() {
        server.setExecutor(scrapes);
        server.createContext("/metrics", exchange -> {
            byte[] text = scrape().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
            exchange.sendResponseHeaders(200, text.length);
            try (OutputStream body = exchange.getResponseBody()) {
                body.write(text);
            }
        });
        server.start();
    }

    StampedeGuardedCache<Long, String> cache() {
        return cache;
    }

    RedisKeyFilter<Long> filter() {
        return filter;
    }

    /** Returns whether requests are sent to Redis, rather than failing at once because it did not answer. */
    boolean asksRedis() {
        return store.isAnswering();
    }

    String scrape() {
        return registry.scrape();
    }

    /** The address at which it is scraped. */
    String address() {
        return server.getAddress().getAddress().getHostAddress() + ":"
                + server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        scrapes.shutdownNow();
        cache.close();
        filter.close();
        store.close();
        registry.close();
    }
}
