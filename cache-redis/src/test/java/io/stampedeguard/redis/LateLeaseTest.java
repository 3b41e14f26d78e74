package io.stampedeguard.redis;

import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.connect.RedisUri;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testkit.ForEach;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;

/**
 * P2: a request for a lease that arrives late, when its connection has broken and another one was granted, grants nothing to the
 * load that began before an invalidation.
 */
final class LateLeaseTest {
    private static final int GRANTS_BEFORE_PLAIN_COMMANDS = 8;

    private final String name = "late-lease-" + UUID.randomUUID();
    private final String key = "k";
    private final String lease = new String(new RedisKeys("").lease(name + ":" + key), UTF_8);
    private final HostAndPort server = RedisUri.parse(SharedRedis.uri()).address();
    private final AtomicReference<List<byte[]>> held = new AtomicReference<>();
    private volatile boolean holds;
    private final CommandProxy proxy = new CommandProxy(server.getHost(), server.getPort(), this::holdFirst);
    private final RedisStore one = RedisStore.connect(proxy.uri(), SharedRedis.PATIENT);
    private final RedisStore two = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);
    private final StampedeGuardedCache<String, String> a = cache(one);
    private final StampedeGuardedCache<String, String> b = cache(two);
    private final AtomicReference<String> origin = new AtomicReference<>("old");
    private final CountDownLatch isRead = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    private enum Form {
        BY_SCRIPT,
        BY_PLAIN_COMMANDS,
        OF_SEVERAL,
        ASYNC,
        RELOAD,
        REFRESH
    }

    private StampedeGuardedCache<String, String> cache(RedisStore store) {
        return textCache(name, store)
                .policy(CachePolicy.builder().waitTimeout(ofMinutes(2)).build())
                .build();
    }

    @AfterEach
    void close() {
        mayEnd.countDown();
        a.close();
        b.close();
        one.close();
        two.close();
        proxy.close();
    }

    /** Breaks the connection of the first request for the lease, which is on its way then. */
    private List<byte[]> holdFirst(List<byte[]> command) {
        boolean isRequest = holds && command.stream().anyMatch(word -> new String(word, UTF_8).equals(lease));
        boolean isChange = isRequest && !new String(command.get(0), UTF_8).equalsIgnoreCase("GET");
        if (isChange && held.compareAndSet(null, command)) {
            throw new UncheckedIOException(new IOException("held up"));
        }
        return command;
    }

    @ForEach
    void lateCopyOfTheRequestGrantsNothingToAnInvalidatedLoad(Form form) throws Exception {
        for (int i = 0; i < (form == Form.BY_SCRIPT ? 1 : GRANTS_BEFORE_PLAIN_COMMANDS); i++) {
            a.get("warm" + i, any -> "warm"); // the script is known
        }
        a.getAll(List.of("several", "keys"), keys -> loaded(keys, "warm"));
        if (form == Form.RELOAD) {
            a.get(key, any -> "older");
            a.expire(key);
        } else if (form == Form.REFRESH) {
            a.get(key, any -> "older");
        }
        holds = true;
        CompletableFuture<String> call = CompletableFuture.supplyAsync(() -> get(form));
        isRead.await();

        origin.set("new");
        b.invalidate(key);
        sendHeld();
        mayEnd.countDown();
        call.join();
        a.close(); // a reload has ended

        assertThat(b.get(key, any -> origin.get())).isEqualTo("new");
    }

    private String get(Form form) {
        return switch (form) {
            case OF_SEVERAL ->
                a.getAll(List.of(key, "another"), keys -> loaded(keys, load())).get(key);
            case ASYNC ->
                a.getAsync(key, any -> CompletableFuture.supplyAsync(this::load))
                        .join();
            case REFRESH -> a.refresh(key, any -> load()).join();
            default -> a.get(key, any -> load());
        };
    }

    private static Map<String, String> loaded(Collection<? extends String> keys, String value) {
        return keys.stream().collect(Collectors.toMap(each -> each, each -> value));
    }

    private String load() {
        String row = origin.get();
        isRead.countDown();
        try {
            mayEnd.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return row;
    }

    /** The copy of the first request arrives, over the connection of nobody. */
    private void sendHeld() {
        List<byte[]> words = held.get();
        assertThat(words).as("a request that was held up").isNotNull();
        try (Jedis wire = PlainRedis.admin(SharedRedis.uri())) {
            wire.sendCommand(() -> words.get(0), words.subList(1, words.size()).toArray(new byte[0][]));
        }
    }
}
