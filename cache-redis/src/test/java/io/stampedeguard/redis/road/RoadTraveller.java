package io.stampedeguard.redis.road;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.report.EntryReport;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;

/**
 * A program that makes each call several times, and the first time not for a debugger: then what is lazy is in place.
 * Its argument is the server's URI.
 */
final class RoadTraveller {
    static final String NEAR_HIT = "near hit";
    static final String REDIS_HIT = "Redis hit";
    static final String COLD_MISS = "cold miss";
    static final String BULK_MISS = "cold miss of three keys";
    static final String PUT = "put";
    static final String INVALIDATE = "invalidate";

    private static final int ROUNDS = 5;
    private static final CachePolicy PATIENT = CachePolicy.builder()
            .softTtl(Duration.ofHours(12))
            .leaseTtl(Duration.ofMinutes(5))
            .loadTimeout(Duration.ofMinutes(10))
            .build();

    private RoadTraveller() {}

    public static void main(String[] arguments) {
        try (RedisStore store = RedisStore.connect(arguments[0], SharedRedis.PATIENT);
                RedisStore others = RedisStore.connect(arguments[0], SharedRedis.PATIENT);
                StampedeGuardedCache<String, String> cache = cache(store, false);
                StampedeGuardedCache<String, String> other = cache(others, false);
                StampedeGuardedCache<String, String> near = cache(store, true)) {
            for (int round = 0; round < ROUNDS; round++) {
                String key = "road-" + System.nanoTime();
                boolean followed = round > 0;
                other.put(key + ".hit", "value");
                keepCopy(near, key + ".near");
                follow(followed, NEAR_HIT, () -> near.get(key + ".near", RoadTraveller::load));
                follow(followed, REDIS_HIT, () -> cache.get(key + ".hit", RoadTraveller::load));
                follow(followed, COLD_MISS, () -> cache.get(key + ".cold", RoadTraveller::load));
                List<String> keys = List.of(key + ".1", key + ".2", key + ".3");
                follow(followed, BULK_MISS, () -> cache.getAll(keys, RoadTraveller::loadAll));
                follow(followed, PUT, () -> cache.put(key + ".put", "value"));
                follow(followed, INVALIDATE, () -> cache.invalidate(key + ".put"));
            }
        }
    }

    /** Reads a key, which nobody changes, until there is a copy that answers: the near cache has to be notified of changes first. */
    private static void keepCopy(StampedeGuardedCache<String, String> near, String key) {
        EntryReport copy;
        do {
            near.get(key, RoadTraveller::load);
            copy = near.explain(key).copy();
        } while (copy == null || copy.state() != EntryReport.State.FRESH);
    }

    private static StampedeGuardedCache<String, String> cache(RedisStore store, boolean near) {
        StampedeGuardedCacheBuilder<String, String> builder = StampedeGuardedCache.<String, String>builder(
                        near ? "road-near" : "road")
                .store(store)
                .policy(PATIENT)
                .codec(StringCodec.of());
        if (near) {
            builder.nearCache(NearCacheOptions.builder()
                    .maximumSize(100)
                    .maxStaleness(Duration.ofHours(1))
                    .build());
        } else {
            builder.timeSource(new StandingTime());
        }
        return builder.build();
    }

    /** For a cache that is followed step by step, time would fly: what is due once a second would belong to each road. */
    private static final class StandingTime implements TimeSource {
        private final TimeSource clock = TimeSource.system();
        private final long nanos = clock.monotonicNanos();

        @Override
        public long wallMillis() {
            return clock.wallMillis();
        }

        @Override
        public long monotonicNanos() {
            return nanos;
        }

        @Override
        public boolean await(CountDownLatch latch, long waitNanos) throws InterruptedException {
            return clock.await(latch, waitNanos);
        }

        @Override
        public Timer schedule(long delayNanos, Runnable task) {
            return clock.schedule(delayNanos, task);
        }
    }

    private static void follow(boolean followed, String call, Runnable action) {
        if (followed) {
            begin(call);
            action.run();
            end();
        } else {
            action.run();
        }
    }

    /** The debugger stops here, and follows what comes. */
    private static void begin(String call) {}

    /** The debugger stops here, and has seen enough. */
    private static void end() {}

    static Map<String, String> loadAll(Collection<? extends String> keys) {
        return keys.stream().collect(Collectors.toMap(key -> key, RoadTraveller::load));
    }

    static String load(String key) {
        return "value of " + key;
    }
}
