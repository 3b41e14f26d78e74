package io.stampedeguard.redis.chaos;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.policy.StoreFailureMode;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.RedisStoreOptions;
import io.stampedeguard.redis.history.CommonGround;
import io.stampedeguard.redis.history.HistoryFile;
import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * A process whose threads, each a {@link ChaosClient}, call guarded caches with near caches until the parent stops them, and
 * which reports each second. The keys are divided among two caches: one whose values last, and one whose values soon are stale.
 * Half of the keys have a tag, and are never stored by a call that cannot give them one.
 */
final class ChaosMember {
    static final int KEYS = 200;
    static final int HOT_KEYS = 10;
    static final int KEYS_OF_A_TAG = 10;
    static final int THREADS = 32;
    static final NearCacheOptions NEAR =
            NearCacheOptions.builder().maximumSize(1_000).build();

    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final Duration WAIT = Duration.ofSeconds(5);
    private static final long SECOND_MICROS = TimeUnit.SECONDS.toMicros(1);
    private static final long HANGS_AFTER_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final CommonGround ground;
    private final Activity activity = new Activity();
    private final ChaosListener listener = new ChaosListener();
    private final ChaosOrigin origin;
    private final RedisStore store;
    private final List<StampedeGuardedCache<Long, String>> caches;
    private volatile boolean enough;

    private ChaosMember(Message open) throws IOException {
        ground = CommonGround.open(Path.of(open.text("directory")).resolve("ground"), 0);
        origin = new ChaosOrigin(open, activity);
        store = RedisStore.connect(
                open.text("redis"),
                RedisStoreOptions.builder().keyPrefix("chaos-").build());
        caches = List.of(
                cache("lasting", Duration.ofMinutes(1), Duration.ofMinutes(2)),
                cache("soon-stale", Duration.ofSeconds(1), Duration.ofMinutes(1)));
    }

    private StampedeGuardedCache<Long, String> cache(String name, Duration soft, Duration hard) {
        return StampedeGuardedCache.<Long, String>builder(name)
                .store(store)
                .codec(StringCodec.of())
                .policy(CachePolicy.builder()
                        .softTtl(soft)
                        .hardTtl(hard)
                        .leaseTtl(LEASE)
                        .waitTimeout(WAIT)
                        .onStoreFailure(
                                StoreFailureMode.THROW) // a change that is queued must be told from one that is not
                        .build())
                .nearCache(NEAR)
                .loader(origin)
                .listener(listener)
                .build();
    }

    public static void main(String[] arguments) throws Exception {
        FleetLink link = FleetLink.open();
        Message open = link.receive();
        ChaosMember member = new ChaosMember(open);
        SplittableRandom random = new SplittableRandom(open.number("seed"));
        link.send(Message.of("ready"));
        long begin = link.receive().number("atMicros");
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Path file = Path.of(open.text("directory"))
                    .resolve("process-" + open.text("process") + ".thread-" + i + ".history");
            threads.add(member.start(new ChaosClient(member, HistoryFile.create(file), random.split())));
        }
        Thread reporter = new Thread(() -> member.report(link, begin), "reporter");
        reporter.setDaemon(true);
        reporter.start();
        link.receive();
        member.enough = true;
        for (Thread thread : threads) {
            thread.join();
        }
        link.send(Message.of("finished")
                .with("queued", member.queuedInTheEnd())
                .with("threads", member.threadsAfterClose()));
        link.receive(); // the parent counts the connections before this process ends
    }

    private Thread start(ChaosClient client) {
        Thread thread = new Thread(FleetLink.orEnd(() -> client.callUntil(() -> enough)));
        thread.start();
        return thread;
    }

    private void report(FleetLink link, long begin) {
        try {
            for (long second = (WallClock.micros() - begin) / SECOND_MICROS; ; second++) {
                WallClock.awaitMicros(begin + (second + 1) * SECOND_MICROS);
                link.send(activity.next((int) second, listener.breaker()));
            }
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns how many changes are still queued when Redis has long answered again. */
    private int queuedInTheEnd() throws InterruptedException {
        return awaitNone(listener::queuedChanges);
    }

    /** Closes the caches and the store, and returns how many of their threads remain. */
    private int threadsAfterClose() throws InterruptedException {
        caches.forEach(StampedeGuardedCache::close);
        store.close();
        return awaitNone(() -> (int) Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("stampede"))
                .count());
    }

    private static int awaitNone(IntSupplier count) throws InterruptedException {
        long begin = System.nanoTime();
        while (count.getAsInt() > 0 && System.nanoTime() - begin < HANGS_AFTER_NANOS) {
            Thread.sleep(10);
        }
        return count.getAsInt();
    }

    /** Half of the calls use a few hot keys. */
    static int drawKey(SplittableRandom random) {
        return random.nextInt(random.nextBoolean() ? HOT_KEYS : KEYS);
    }

    /** Returns a key, or another one of its cache, that has a tag. */
    static int withTag(int key) {
        return key | 2;
    }

    /** Returns a key, or another one of its cache, that has no tag. */
    static int withoutTag(int key) {
        return key & ~2;
    }

    /** Returns the tag of a key that has one. */
    static String tagOf(long key) {
        return "tag-" + key / 4 / KEYS_OF_A_TAG;
    }

    /** Returns the value of a key with its tag, if it has one. */
    static LoadedValue<String> tagged(long key, String value) {
        LoadedValue<String> loaded = LoadedValue.of(value);
        return withTag((int) key) == key ? loaded.tags(tagOf(key)) : loaded;
    }

    static <C> C cacheOf(List<C> caches, int key) {
        return caches.get(key % caches.size());
    }

    CommonGround ground() {
        return ground;
    }

    ChaosOrigin origin() {
        return origin;
    }

    ChaosListener listener() {
        return listener;
    }

    Activity activity() {
        return activity;
    }

    List<StampedeGuardedCache<Long, String>> caches() {
        return caches;
    }
}
