package io.stampedeguard.redis.history;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.StoreFailureMode;
import io.stampedeguard.redis.PutsOnTheirWay;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.RedisStoreOptions;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testkit.ScriptedCodec;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * A process whose threads, each a {@link HistoryClient}, call guarded caches until the parent stops them. The keys are
 * divided among three caches: one whose values last, one whose values soon are stale and are refreshed in the
 * background, and one whose values soon expire. Two thirds of the keys have a tag.
 */
final class HistoryMember {
    static final int KEYS = 15;
    static final int HOT_KEYS = 3; // keys that half of the calls use
    static final int QUIET_KEYS = 120; // additional keys if there are near caches
    static final int ALL_KEYS = KEYS + QUIET_KEYS;
    static final int THREADS = 8;
    static final Duration LEASE = Duration.ofMillis(200);

    private static final int CACHES = 3;
    private static final int TAGS = 2; // in each cache
    private static final Duration BRIEF = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofSeconds(10); // for a machine with much other work

    /** More than a put may be on its way, by a tenth of a second and what may be unknown of the server's clock. */
    private static final Duration LATE = Duration.ofMillis(1_500);

    /** One put in so many is not answered, which takes a thread a second. */
    private static final int UNANSWERED = 16;

    private final CommonGround ground;
    private final NearCaches nearCaches;
    private final Trouble trouble;
    private final MemberListener listener;
    private final OriginLoader loader;
    private final List<StampedeGuardedCache<String, String>> caches;
    private volatile boolean enough;

    private HistoryMember(Message open, Path directory) throws IOException {
        ground = CommonGround.open(directory.resolve("ground"), ALL_KEYS);
        nearCaches = NearCaches.valueOf(open.text("nearCaches"));
        trouble = Trouble.valueOf(open.text("trouble"));
        listener = new MemberListener(ground, new Hesitation(8));
        loader = new OriginLoader(ground, LEASE, open.number("seed"), trouble.isWithoutOutages());
        CacheStore store = SlowWire.before(
                trouble == Trouble.LATE_PUTS ? storeWithLatePuts(open) : store(open), new Hesitation(20));
        caches = List.of(
                cache("lasting", store, LONG, LONG.multipliedBy(2), LONG),
                cache("soon-stale", store, BRIEF, LONG, Duration.ZERO),
                cache("soon-gone", store, BRIEF, BRIEF, Duration.ZERO));
    }

    /** Returns in which of the caches a key is. */
    static int cacheOf(int key) {
        return key < KEYS ? key % CACHES : 0;
    }

    /** Returns whether its cache remembers when keys were changed. */
    static boolean isOfRememberedChanges(int key) {
        return cacheOf(key) == 0;
    }

    /** Returns the tag of the values of a key, which some others of its cache have as well; none for some. */
    static Optional<String> tagOf(int key) {
        int group = key / CACHES % (TAGS + 1);
        return group < TAGS ? Optional.of("tag-" + group) : Optional.empty();
    }

    /** Returns a version of a key with its tag. */
    static LoadedValue<String> tagged(int key, long version) {
        return LoadedValue.of(Long.toString(version)).tags(tagOf(key).stream().toArray(String[]::new));
    }

    public static void main(String[] arguments) throws Exception {
        FleetLink link = FleetLink.open();
        Message open = link.receive();
        Path directory = Path.of(open.text("directory"));
        HistoryMember member = new HistoryMember(open, directory);
        SplittableRandom random = new SplittableRandom(open.number("seed"));
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Path file = directory.resolve("process-" + open.text("process") + ".thread-" + i + ".history");
            threads.add(member.start(new HistoryClient(member, HistoryFile.create(file), random.split())));
        }
        link.receive();
        member.enough = true;
        for (Thread thread : threads) {
            thread.join();
        }
        link.send(Message.of("finished"));
    }

    private Thread start(HistoryClient client) {
        Thread thread = new Thread(FleetLink.orEnd(() -> client.callUntil(() -> enough)));
        thread.start();
        return thread;
    }

    private static RedisStore store(Message open) {
        return RedisStore.connect(open.text("redis"), options(open));
    }

    /**
     * Returns a store each of whose puts arrives when its time is certainly over: a copy of it, or, for one of a few, the only one, of
     * whose fate its caller hears nothing.
     */
    private static RedisStore storeWithLatePuts(Message open) {
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(2, task -> {
            Thread thread = new Thread(task, "late-puts");
            thread.setDaemon(true);
            return thread;
        });
        PutsOnTheirWay client = new PutsOnTheirWay(open.text("redis"), PATIENCE);
        client.send(put -> {
            timer.schedule(put::get, LATE.toMillis(), TimeUnit.MILLISECONDS);
            if (ThreadLocalRandom.current().nextInt(UNANSWERED) == 0) {
                throw new JedisConnectionException(new SocketTimeoutException("Read timed out"));
            }
            return put.get();
        });
        return RedisStore.using(client, options(open));
    }

    private static RedisStoreOptions options(Message open) {
        return RedisStoreOptions.builder()
                .keyPrefix(open.text("prefix"))
                .commandTimeout(PATIENCE)
                .build();
    }

    private static ScriptedCodec hesitant() {
        Hesitation hesitation = new Hesitation(50);
        return new ScriptedCodec(value -> hesitation.maybe(), value -> hesitation.maybe());
    }

    private StampedeGuardedCache<String, String> cache(
            String name, CacheStore store, Duration soft, Duration hard, Duration changeMemory) {
        CachePolicy policy = CachePolicy.builder()
                .softTtl(soft)
                .hardTtl(hard)
                .leaseTtl(LEASE)
                .changeMemory(changeMemory)
                .onStoreFailure(StoreFailureMode.THROW) // only what all processes see counts as invalidated
                .poll(Duration.ofMillis(1))
                .build();
        StampedeGuardedCacheBuilder<String, String> builder = StampedeGuardedCache.<String, String>builder(name)
                .store(store)
                .codec(hesitant())
                .policy(policy)
                .listener(listener);
        return nearCaches == NearCaches.NONE
                ? builder.build()
                : builder.nearCache(NearCaches.OPTIONS).build();
    }

    Trouble trouble() {
        return trouble;
    }

    boolean near() {
        return nearCaches != NearCaches.NONE;
    }

    CommonGround ground() {
        return ground;
    }

    MemberListener listener() {
        return listener;
    }

    OriginLoader loader() {
        return loader;
    }

    List<StampedeGuardedCache<String, String>> caches() {
        return caches;
    }
}
