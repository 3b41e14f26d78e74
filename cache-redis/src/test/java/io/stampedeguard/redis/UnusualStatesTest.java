package io.stampedeguard.redis;

import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fault.FaultProxy;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.RecordingListener;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

/** P6 while Redis is in an unusual state: callers are answered, the log names the state, and it ends without a trace. */
final class UnusualStatesTest {
    private static final String PASSWORD = "geheim1";
    private static final Duration BRIEF = Duration.ofMillis(500);
    private static final Set<String> ANNOUNCED = Set.of("GET", "MGET", "EVALSHA", "EVAL", "PING");
    private static final CachePolicy POLICY =
            CachePolicy.builder().waitTimeout(Duration.ofMinutes(1)).build();

    private final RedisProcess redis = RedisServer.startProcess("--requirepass", PASSWORD);
    private final Jedis admin = PlainRedis.admin(uri(redis.port()));
    private final FaultProxy faults = FaultProxy.start(redis.host(), redis.port(), 1);
    private final CommandProxy enormous = new CommandProxy(redis.host(), redis.port(), this::announced);
    private final Origin origin = new Origin("one");
    private final RecordingListener listener = new RecordingListener();
    private volatile boolean announces;

    /** A state, what its faults say, whether {@code PING} is answered, and where the store connects. */
    private enum State {
        OUT_OF_MEMORY(
                "OOM command not allowed",
                true,
                test -> WriteRefusal.OOM.begin(test.admin),
                test -> WriteRefusal.OOM.end(test.admin)),
        READ_ONLY_REPLICA(
                "READONLY",
                true,
                test -> WriteRefusal.READONLY.begin(test.admin),
                test -> WriteRefusal.READONLY.end(test.admin)),
        SNAPSHOT_FAILED(
                "MISCONF",
                false,
                test -> WriteRefusal.MISCONF.begin(test.admin),
                test -> WriteRefusal.MISCONF.end(test.admin)),
        WRONG_PASSWORD(
                "WRONGPASS",
                false,
                test -> {
                    test.admin.configSet("requirepass", "geheim2");
                    test.killClients();
                },
                test -> test.admin.configSet("requirepass", PASSWORD)),
        TOO_MANY_CLIENTS(
                "max number of clients reached",
                false,
                test -> {
                    test.admin.configSet("maxclients", "1");
                    test.killClients();
                },
                test -> test.admin.configSet("maxclients", "1000")),
        ENORMOUS_LENGTH(
                "the announced answer does not fit into memory",
                false,
                test -> test.announces = true,
                test -> test.announces = false),
        HANG_AFTER_ACCEPT(
                "Read timed out",
                false,
                test -> {
                    test.faults.hang();
                    test.faults.reset(1);
                },
                test -> test.faults.heal()),
        HALF_AN_ANSWER("Read timed out", false, test -> test.faults.truncateAnswers(3), test -> test.faults.heal());

        private final String reason;
        private final boolean answersPing;
        private final Consumer<UnusualStatesTest> begin;
        private final Consumer<UnusualStatesTest> end;

        State(String reason, boolean answersPing, Consumer<UnusualStatesTest> begin, Consumer<UnusualStatesTest> end) {
            this.reason = reason;
            this.answersPing = answersPing;
            this.begin = begin;
            this.end = end;
        }

        boolean isSilence() {
            return reason.equals("Read timed out");
        }

        int port(UnusualStatesTest test) {
            return this == ENORMOUS_LENGTH
                    ? test.enormous.port()
                    : isSilence() ? test.faults.port() : test.redis.port();
        }

        /** Only where silence is the state: otherwise nothing times out, however busy the machine is. */
        RedisStoreOptions options() {
            return isSilence()
                    ? RedisStoreOptions.builder().commandTimeout(BRIEF).build()
                    : SharedRedis.PATIENT;
        }
    }

    /** Announces the longest answer there is, and sends nothing more. */
    private @Nullable List<byte[]> announced(List<byte[]> command, OutputStream client) throws IOException {
        if (!announces || !ANNOUNCED.contains(new String(command.get(0), US_ASCII))) {
            return command;
        }
        client.write("$2147483647\r\n".getBytes(US_ASCII));
        return null;
    }

    @AfterEach
    void close() {
        enormous.close();
        faults.close();
        admin.close();
        redis.close();
    }

    private static String uri(int port) {
        return "redis://:" + PASSWORD + "@127.0.0.1:" + port;
    }

    private void killClients() {
        admin.clientKill(ClientKillParams.clientKillParams().type(ClientType.NORMAL));
        admin.clientKill(ClientKillParams.clientKillParams().type(ClientType.PUBSUB));
    }

    private StampedeGuardedCache<String, String> cacheOn(RedisStore store) {
        return cacheOn(store, POLICY);
    }

    private StampedeGuardedCache<String, String> cacheOn(RedisStore store, CachePolicy policy) {
        return textCache("unusual", store).policy(policy).listener(listener).build();
    }

    @ForEach
    void everyFormOfGetIsAnsweredAndTheLogNamesTheState(State state) {
        LogLines log = LogLines.of(() -> {
            try (RedisStore store = RedisStore.connect(uri(state.port(this)), state.options());
                    StampedeGuardedCache<String, String> cache = cacheOn(store)) {
                Fleet.until(() -> isHit(cache, "stale"));
                cache.expire("stale");
                state.begin.accept(this);

                assertEveryFormIsAnswered(cache);
                assertThat(cache.faults(FaultSource.STORE)).isPositive();
                assertPing(store, state);
                cache.invalidate("k"); // is queued
                assertThat(cache.get("k", origin::read)).isEqualTo("one");
                assertThat(cache.explain("k").toString()).isNotBlank();

                state.end.accept(this);
                Fleet.until(() -> isHit(cache, "afterwards"));
                Fleet.until(() -> isHit(cache, "k"));
                Fleet.until(() -> isAnswered(store));
            }
        });

        assertThat(log.lines()).anyMatch(line -> line.contains(state.reason));
        assertThat(log.lines()).noneMatch(line -> line.contains(PASSWORD));
    }

    /** It refuses for the moment only, unlike one that does not accept the password. */
    @Test
    void serverWithTooManyClientsDoesNotPreventTheStart() {
        LogLines log = LogLines.of(() -> {
            State.TOO_MANY_CLIENTS.begin.accept(this);
            try (RedisStore store = RedisStore.connect(uri(redis.port()), SharedRedis.PATIENT);
                    StampedeGuardedCache<String, String> cache = cacheOn(store)) {
                assertThat(cache.get("k", origin::read)).isEqualTo("one");

                State.TOO_MANY_CLIENTS.end.accept(this);
                Fleet.until(() -> isHit(cache, "k"));
            }
        });

        assertThat(log.lines())
                .anyMatch(line -> line.contains("could not connect to Redis at 127.0.0.1:" + redis.port()
                        + ": ERR max number of clients reached; the cache works without Redis until it answers"));
    }

    private void assertEveryFormIsAnswered(StampedeGuardedCache<String, String> cache) {
        assertThat(cache.get("k", origin::read)).isEqualTo("one");
        assertThat(cache.getAll(List.of("a", "b"), this::readAll)).isEqualTo(Map.of("a", "one", "b", "one"));
        assertThat(cache.getAsync("async", this::readLater).join()).isEqualTo("one");
        assertThat(cache.getAllAsync(List.of("c", "d"), this::readAll).join())
                .isEqualTo(Map.of("c", "one", "d", "one"));
        assertThat(cache.get("stale", origin::read))
                .as("reloaded in the background, or loaded")
                .isEqualTo("one");
    }

    private Map<String, String> readAll(Set<String> keys) {
        return keys.stream().collect(Collectors.toMap(key -> key, this::readOne));
    }

    private CompletableFuture<String> readLater(String key) {
        return CompletableFuture.completedFuture(readOne(key));
    }

    private String readOne(String key) {
        try {
            return origin.read(key);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void assertPing(RedisStore store, State state) {
        if (state.answersPing) {
            assertThat(store.ping()).isPositive();
        } else {
            assertThatThrownBy(store::ping)
                    .isInstanceOf(StoreException.class)
                    .hasMessageStartingWith("could not ping at 127.0.0.1:")
                    .hasMessageContaining(state.reason)
                    .hasMessageNotContaining(PASSWORD);
        }
    }

    private static boolean isAnswered(RedisStore store) {
        try {
            return store.ping().toNanos() > 0;
        } catch (StoreException e) {
            return false;
        }
    }

    private boolean isHit(StampedeGuardedCache<String, String> cache, String key) {
        cache.get(key, origin::read);
        int reads = origin.reads();
        cache.get(key, origin::read);
        return origin.reads() == reads;
    }

    @Test
    void anotherTypeUnderTheKeysIsReplacedByOneLoadEach() {
        CachePolicy longLeases =
                POLICY.toBuilder().leaseTtl(Duration.ofSeconds(30)).build(); // a stalled test does not lose one
        try (RedisStore store = RedisStore.connect(uri(redis.port()), SharedRedis.PATIENT);
                StampedeGuardedCache<String, String> cache = cacheOn(store, longLeases)) {
            for (String key : List.of("k", "a", "b", "async", "c", "d", "stale")) {
                admin.lpush("{unusual:" + key + "}", "a list");
            }

            assertEveryFormIsAnswered(cache);
            int reads = origin.reads();
            assertEveryFormIsAnswered(cache);

            assertThat(origin.reads()).as("the second time, all are hits").isEqualTo(reads);
            assertThat(cache.faults(FaultSource.STORE)).isZero();
            assertThat(store.ping()).isPositive();
        }
    }
}
