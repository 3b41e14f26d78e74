package io.stampedeguard.redis;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import redis.clients.jedis.RedisClient;

/**
 * A process of a fleet that has a guarded cache, and does with it what its parent tells it. Its origin is a Redis server
 * of its own choice: the row {@code row:KEY}, whose loads are counted in {@code loads:KEY} for the whole fleet.
 */
final class CacheMember {
    private final FleetLink link;
    private final RedisClient origin;
    private final StampedeGuardedCache<String, String> cache;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicInteger loading = new AtomicInteger();
    private final AtomicInteger mostLoading = new AtomicInteger();

    private CacheMember(FleetLink link, Message open) {
        this.link = link;
        this.origin = RedisClient.create(open.text("origin"));
        this.cache = StampedeGuardedCache.<String, String>builder("fleet")
                .store(RedisStore.connect(
                        open.text("redis"),
                        RedisStoreOptions.builder()
                                .maxConnections(64)
                                .borrowTimeout(Duration.ofSeconds(2))
                                .build()))
                .codec(StringCodec.utf8())
                .policy(CachePolicy.builder()
                        .leaseTtl(Duration.ofMillis(open.number("leaseMillis")))
                        .waitTimeout(Duration.ofMillis(open.number("waitMillis")))
                        .maxConcurrentLoads((int) open.number("maxLoads"))
                        .build())
                .build();
    }

    public static void main(String[] arguments) throws Exception {
        FleetLink link = FleetLink.open();
        CacheMember member = new CacheMember(link, link.receive());
        link.tell(Message.of("open"));
        while (true) {
            Message order = link.receive();
            member.threads.execute(() -> member.carryOut(order));
        }
    }

    private void carryOut(Message order) {
        switch (order.verb()) {
            case "get" -> get(order);
            case "change" -> {
                origin.set("row:" + order.text("key"), order.text("row"));
                cache.invalidate(order.text("key"));
                link.tell(Message.of("changed"));
            }
            default -> throw new IllegalArgumentException(order.toString());
        }
    }

    /** Lets so many callers get a key (or, where it ends in a hyphen, a key each) at one instant. */
    private void get(Message order) {
        String key = order.text("key");
        AtomicInteger number = new AtomicInteger();
        AtomicInteger slowestMillis = new AtomicInteger();
        mostLoading.set(0);
        Callable<String> call = () -> {
            String own = key.endsWith("-") ? key + number.incrementAndGet() : key;
            WallClock.awaitMicros(order.number("atMicros"));
            long began = WallClock.micros();
            try {
                return cache.get(own, asked -> load(asked, order.number("loadMillis")));
            } catch (Exception e) {
                return e.getClass().getSimpleName();
            } finally {
                slowestMillis.accumulateAndGet((int) ((WallClock.micros() - began) / 1_000), Math::max);
            }
        };
        List<Future<String>> answers = new ArrayList<>();
        for (int i = 0; i < order.number("callers"); i++) {
            answers.add(threads.submit(call));
        }
        link.tell(Message.of("got")
                .with(
                        "answers",
                        String.join(",", answers.stream().map(CacheMember::join).toList()))
                .with("slowestMillis", slowestMillis)
                .with("mostLoading", mostLoading));
    }

    private String load(String key, long millis) throws InterruptedException {
        mostLoading.accumulateAndGet(loading.incrementAndGet(), Math::max);
        try {
            origin.incr("loads:" + key);
            String row = origin.get("row:" + key);
            Thread.sleep(millis);
            return row;
        } finally {
            loading.decrementAndGet();
        }
    }

    private static String join(Future<String> answer) {
        try {
            return String.valueOf(answer.get());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
