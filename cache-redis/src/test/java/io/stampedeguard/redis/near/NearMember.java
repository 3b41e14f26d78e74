package io.stampedeguard.redis.near;

import static io.stampedeguard.testkit.TextCaches.textCache;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.policy.StoreFailureMode;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.RedisStoreOptions;
import io.stampedeguard.redis.SpareMember;
import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;

/** A process that reads and changes some keys, numbered from 0, through a guarded cache, as its parent commands. */
final class NearMember extends SpareMember {
    /** Longer than any machine stalls. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Rows rows;
    private final OutcomeCounts counts = new OutcomeCounts();
    private final RedisStore store;
    private final StampedeGuardedCache<String, String> cache;
    private final long loadMillis;

    private NearMember(FleetLink link, Message open) {
        super(link);
        this.rows = new Rows(open.text("origin"));
        this.loadMillis = open.number("loadMillis");
        this.store = store(open);
        this.cache = cache(open);
    }

    public static void main(String[] arguments) throws InterruptedException {
        run(NearMember::new);
    }

    @Override
    protected void close() {
        cache.close();
        store.close();
        rows.close();
    }

    private StampedeGuardedCache<String, String> cache(Message open) {
        CachePolicy policy = CachePolicy.builder()
                .softTtl(Duration.ofMillis(open.number("softMillis")))
                .hardTtl(Duration.ofMinutes(20))
                .leaseTtl(PATIENCE)
                .onStoreFailure(StoreFailureMode.THROW) // only what all processes see counts as changed
                .build();
        StampedeGuardedCacheBuilder<String, String> builder =
                textCache("near", store).policy(policy).listener(counts);
        return open.fields().containsKey("withoutNear")
                ? builder.build()
                : builder.nearCache(NearCacheOptions.builder()
                                .maximumSize(10_000)
                                .maxStaleness(Duration.ofMillis(open.number("stalenessMillis")))
                                .build())
                        .build();
    }

    private static RedisStore store(Message open) {
        RedisStoreOptions options = RedisStoreOptions.builder()
                .clientName(open.text("name"))
                .maxConnections(32)
                .commandTimeout(PATIENCE)
                .build();
        return RedisStore.connect(open.text("redis"), options);
    }

    @Override
    protected void carryOut(Message order) {
        FleetLink.orEnd(() -> obey(order)).run();
    }

    private void obey(Message order) throws Exception {
        switch (order.verb()) {
            case "once" -> once(order);
            case "read" -> read(order);
            case "change" -> change(order);
            case "versions" -> versions(order);
            case "counts" -> link.send(counts.take(Message.of("counts")));
            default -> throw new IllegalArgumentException(order.toString());
        }
    }

    private String get(String key) {
        return cache.get(key, asked -> rows.load(asked, loadMillis));
    }

    /** Reads each key a number of times. */
    private void once(Message order) {
        for (long time = 0; time < order.number("times"); time++) {
            for (long key = 0; key < order.number("keys"); key++) {
                get(Long.toString(key));
            }
        }
        link.send(Message.of("readOnce"));
    }

    /** Reads each key once, and answers with its version. */
    private void versions(Message order) {
        List<Change> versions = new ArrayList<>();
        for (long key = 0; key < order.number("keys"); key++) {
            String name = Long.toString(key);
            versions.add(new Change(name, Long.parseLong(get(name)), WallClock.micros()));
        }
        link.send(Message.of("versions").with("versions", Change.encode(versions)));
    }

    /** Lets a number of threads read keys at random for some time, with pauses. */
    private void read(Message order) throws Exception {
        List<Future<Readings>> readers = new ArrayList<>();
        SplittableRandom random = new SplittableRandom();
        long[] slowestMicros = new long[(int) order.number("readers")];
        for (int i = 0; i < slowestMicros.length; i++) {
            int reader = i;
            SplittableRandom own = random.split();
            Callable<Readings> reading = () -> read(order, own, slowestMicros, reader);
            readers.add(threads.submit(reading));
        }
        Readings all = new Readings();
        long slowest = 0;
        for (int i = 0; i < slowestMicros.length; i++) {
            all.addAll(readers.get(i).get());
            slowest = Math.max(slowest, slowestMicros[i]);
        }
        link.send(Message.of("read").with("readings", all.encode()).with("slowestMicros", slowest));
    }

    private Readings read(Message order, SplittableRandom random, long[] slowestMicros, int reader)
            throws InterruptedException {
        Readings readings = new Readings();
        long end = WallClock.micros() + order.number("forMillis") * 1_000;
        for (long began = WallClock.micros(); began < end; began = WallClock.micros()) {
            String key = Long.toString(random.nextLong(order.number("keys")));
            readings.add(key, Long.parseLong(get(key)), began);
            slowestMicros[reader] = Math.max(slowestMicros[reader], WallClock.micros() - began);
            WallClock.awaitMicros(WallClock.micros() + order.number("pauseMicros"));
        }
        return readings;
    }

    /** Writes rows at random for some time, with pauses, and notifies the cache of each. */
    private void change(Message order) throws InterruptedException {
        List<Change> changes = new ArrayList<>();
        SplittableRandom random = new SplittableRandom();
        long end = WallClock.micros() + order.number("forMillis") * 1_000;
        while (WallClock.micros() < end) {
            String key = Long.toString(random.nextLong(order.number("keys")));
            long version = rows.write(key);
            tell(key, version, order.text("by"));
            changes.add(new Change(key, version, WallClock.micros()));
            Thread.sleep(order.number("pauseMillis"));
        }
        link.send(Message.of("changed").with("changes", Change.encode(changes)));
    }

    private void tell(String key, long version, String by) {
        switch (by) {
            case "invalidate" -> cache.invalidate(key);
            case "expire" -> cache.expire(key);
            case "put" -> cache.put(key, Long.toString(version));
            default -> throw new IllegalArgumentException(by);
        }
    }
}
