package fleet;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.filter.redis.RedisKeyFilter;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.LookupResult;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.redis.RedisStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/**
 * A process of the fleet, compiled against the older version, and run with either. Each line of its input is a call, with a number
 * that its answer repeats, or the row for a load, which it has asked for by a line of its output.
 */
public final class Member {
    /** Nothing ends by itself: neither a lease, nor a cool-down, nor the wait for a message. A call that needs one of them hangs. */
    private static final Duration VERY_LONG = Duration.ofMinutes(30);

    private static final Duration BRIEF = Duration.ofMillis(200);
    private static final Duration TIMEOUT_ON_A_BUSY_MACHINE = Duration.ofSeconds(20);
    private static final int FILTERED_KEYS = 2_000;

    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    });
    private final Map<String, StampedeGuardedCache<String, String>> caches;
    private final RedisKeyFilter<Long> filter;
    private final Map<String, LookupResult.Fence> fences = new ConcurrentHashMap<>();
    private final Map<String, CompletableFuture<String[]>> rows = new ConcurrentHashMap<>();
    private final AtomicLong loads = new AtomicLong();

    private Member(RedisStore store) {
        CachePolicy policy = CachePolicy.builder()
                .softTtl(VERY_LONG)
                .hardTtl(VERY_LONG)
                .jitter(0)
                .negativeTtl(Duration.ofMinutes(5))
                .earlyRefresh(0)
                .leaseTtl(VERY_LONG)
                .loadTimeout(VERY_LONG)
                .waitTimeout(VERY_LONG)
                .failureCoolDown(VERY_LONG)
                .poll(VERY_LONG)
                .originGuard(false)
                .build();
        // Beside a version that cannot read its entries, and so marks the key as not cacheable, a reload is tried again after these.
        CachePolicy stale = policy.toBuilder()
                .hardTtl(VERY_LONG.multipliedBy(2))
                .leaseTtl(Duration.ofSeconds(10))
                .poll(Duration.ofMillis(10))
                .build();
        NearCacheOptions near = NearCacheOptions.builder()
                .maximumSize(1_000)
                .maxStaleness(VERY_LONG)
                .build();
        caches = Map.of(
                "plain", on(store, "plain", policy).build(),
                "stale", on(store, "stale", stale).build(),
                "near", on(store, "near", policy).nearCache(near).build());
        filter = RedisKeyFilter.<Long>builder("plain", store)
                .expectedKeys(FILTERED_KEYS)
                .falsePositiveRate(0.01)
                .build();
    }

    private static StampedeGuardedCacheBuilder<String, String> on(RedisStore store, String name, CachePolicy policy) {
        return StampedeGuardedCache.<String, String>builder(name)
                .store(store)
                .codec(StringCodec.of())
                .policy(policy);
    }

    /** Runs until its input ends. */
    public static void main(String[] args) throws IOException {
        RedisStore store = RedisStore.builder()
                .commandTimeout(TIMEOUT_ON_A_BUSY_MACHINE)
                .failFast(true)
                .connect(args[0]);
        new Member(store).answerLines();
    }

    private void answerLines() throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split(" ");
            if (words[0].equals("row")) {
                rows.remove(words[1]).complete(words);
            } else {
                threads.execute(() -> say("answer " + words[0] + " " + answer(words)));
            }
        }
    }

    private synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private String answer(String[] words) {
        try {
            return words[1].equals("filter")
                    ? filtered(words[2], Long.parseLong(words[3]), Long.parseLong(words[4]))
                    : cached(words[1], caches.get(words[2]), words);
        } catch (RuntimeException e) {
            return "failure " + e.getClass().getSimpleName();
        }
    }

    private String cached(String call, StampedeGuardedCache<String, String> cache, String[] words) {
        String key = words[3];
        switch (call) {
            case "get" -> {
                return shown(cache.get(key, Loader.adaptive((each, previous) -> load(each))));
            }
            case "peek" -> {
                return shown(cache.getIfPresent(key));
            }
            case "put" -> cache.put(key, words[4]);
            case "invalidate" -> cache.invalidate(key);
            case "expire" -> cache.expire(key);
            case "invalidateTag" -> cache.invalidateTag(key);
            case "invalidateAll" -> cache.invalidateAll();
            case "lookup" -> fences.put(key, cache.lookup(key).fence());
            case "putIfUnchanged" -> {
                return String.valueOf(cache.put(key, words[4], fences.remove(key)));
            }
            default -> throw new IllegalArgumentException(call);
        }
        return "done";
    }

    private static String shown(String value) {
        return value == null ? "none" : "value " + value;
    }

    private LoadedValue<String> load(String key) throws Exception {
        String number = String.valueOf(loads.incrementAndGet());
        CompletableFuture<String[]> row = new CompletableFuture<>();
        rows.put(number, row);
        say("load " + number + " " + key);
        String[] words = row.get();
        return switch (words[2]) {
            case "value" -> LoadedValue.of(words[3]);
            case "tagged" -> LoadedValue.of(words[3]).tags(words[4]);
            case "brief" -> LoadedValue.of(words[3]).softTtl(BRIEF).hardTtl(BRIEF);
            case "unkept" -> LoadedValue.of(words[3]).doNotCache();
            case "none" -> LoadedValue.absent();
            default -> throw new IllegalStateException("the origin fails");
        };
    }

    private String filtered(String call, long from, long to) {
        List<Long> keys = LongStream.range(from, to).boxed().toList();
        switch (call) {
            case "rebuild" -> filter.rebuild(keys::stream);
            case "add" -> keys.forEach(filter::add);
            case "exclude" -> {
                return String.valueOf(keys.stream().filter(key -> !filter.mightContain(key)).count());
            }
            default -> throw new IllegalArgumentException(call);
        }
        return "done";
    }
}
