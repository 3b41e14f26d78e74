package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.changes;
import static io.stampedeguard.testkit.KeyCalls.notifications;
import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.testbed.FreePort;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.topology.RedisSentinels;
import io.stampedeguard.testkit.ChangesEar;
import io.stampedeguard.testkit.Fleet;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLParameters;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import redis.clients.jedis.DefaultRedisCredentials;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisCredentials;

/** One builder for a server, Sentinels, and a cluster: each with users of the least rights, and as it fails. */
@ResourceLock(value = SharedCluster.LOCK, mode = ResourceAccessMode.READ)
class RedisStoreBuilderTest {
    private static final String[] LEAST =
            ("on >geheim ~{built:* &{built:* +get +mget +getrange +set +del +setrange +strlen"
                            + " +pttl +pexpire +time +ping +eval +evalsha +hello +publish +subscribe +unsubscribe +spublish"
                            + " +ssubscribe +sunsubscribe +cluster|slots")
                    .split(" ");
    private static final Supplier<RedisCredentials> SHOP = () -> new DefaultRedisCredentials("built-shop", "geheim");

    @AutoClose
    private static final RedisSentinels SENTINELS = RedisSentinels.startWithoutFailover();

    @Test
    void masterNamedBySentinelsWithTheirOwnUsersIsUsed() {
        permit(List.of(SENTINELS.master()), "built-shop", LEAST);
        permit(SENTINELS.sentinels(), "built-watcher", "on", ">geheim2", "~*", "&*", "+@all");
        try (RedisStore store = SharedRedis.PATIENT.toBuilder()
                .credentials(SHOP)
                .sentinelCredentials(() -> new DefaultRedisCredentials("built-watcher", "geheim2"))
                .connect(Topologies.uri(SENTINELS))) {
            assertUsable(store);
            assertThat(SENTINELS.sentinels())
                    .allSatisfy(sentinel -> Fleet.until(
                            () -> Topologies.ask(sentinel, Jedis::clientList).contains("user=built-watcher ")));
            assertThat(store.toString())
                    .contains("at master 'stampede' of the Sentinels 127.0.0.1:")
                    .doesNotContain("geheim");
        }
    }

    @Test
    void clusterIsUsedByAUserWithTheLeastRights() {
        List<RedisProcess> members = SharedCluster.get().nodes();
        permit(members, "built-shop", LEAST);
        String uri = Topologies.uri(SharedCluster.get()).replace("//", "//built-shop:geheim@");
        try (RedisStore store = RedisStore.connect(uri, SharedRedis.PATIENT)) {
            assertUsable(store);
            assertThat(store.toString()).contains("at cluster 127.0.0.1:").doesNotContain("geheim");
        } finally {
            members.forEach(member -> Topologies.ask(member, admin -> admin.aclDelUser("built-shop")));
        }
    }

    @Test
    void codeOfThePageOnManagedRedisRuns(@TempDir Path directory) throws Exception {
        List<RedisProcess> members = SharedCluster.get().nodes();
        permit(members, "shop", "on", ">geheim", "~*", "&*", "+@all");
        try {
            String code = PageCode.withServer(
                    PageCode.of(Path.of("..", "docs", "managed-redis.md")),
                    "rediss-cluster://shop.example.com:6379",
                    Topologies.uri(SharedCluster.get()));
            assertThat(PageCode.run(directory, "ManagedRedisPage", program(code)))
                    .isEqualTo(true);
        } finally {
            members.forEach(member -> Topologies.ask(member, admin -> admin.aclDelUser("shop")));
        }
    }

    private static String program(String code) {
        return """
                import io.stampedeguard.redis.RedisStore;
                import redis.clients.jedis.DefaultRedisCredentials;

                public class ManagedRedisPage {
                    interface Tokens {
                        String newest();
                    }

                    public static Object run() {
                        Tokens tokens = () -> "geheim";
                        %s
                        try (redis) {
                            redis.ping();
                            return redis.isAnswering();
                        }
                    }
                }
                """.formatted(code);
    }

    private static void assertUsable(RedisStore store) {
        Waiter waiter = new Waiter();
        ChangesEar ear = new ChangesEar();
        notifications(store).watch("built:1", waiter);
        changes(store).watchChanges("built", List.of(ear));
        waiter.awaitListenings(1);
        ear.awaitListening(1);
        for (int i = 1; i <= 10; i++) {
            LeaseToken token = LeaseToken.next();
            on(store).put("built:" + i, token.toBytes(), Duration.ofMinutes(1));
            assertThat(on(store).read("built:" + i)).isEqualTo(token.toBytes());
            ear.awaitChanged("built:" + i);
        }
        waiter.awaitNotices(1);
        ear.awaitAll();
        assertThat(store.ping()).isPositive();
        assertThat(store.isAnswering()).isTrue();
    }

    private static void permit(List<RedisProcess> servers, String user, String... rights) {
        servers.forEach(server -> Topologies.ask(server, admin -> admin.aclSetUser(user, rights)));
    }

    @Test
    void wrongPasswordIsRefusedAtOnceAndNeverRepeated() {
        RedisStoreBuilder wrong =
                SharedRedis.PATIENT.toBuilder().credentials(() -> new DefaultRedisCredentials("nobody", "geheim3"));
        assertRefused(
                () -> wrong.connect(Topologies.uri(SharedCluster.get())),
                "could not connect to Redis at cluster 127.0.0.1:",
                "WRONGPASS");
        assertRefused(
                () -> wrong.connect(Topologies.uri(SENTINELS)),
                "could not connect to Redis at master 'stampede' of the Sentinels 127.0.0.1:",
                "WRONGPASS");
    }

    @Test
    void sentinelsThatDoNotKnowTheMasterAreNamedWithIt() {
        String uri = Topologies.uri(SENTINELS);
        assertRefused(
                () -> RedisStore.connect(uri + "2", SharedRedis.PATIENT),
                "could not connect to Redis at master 'stampede2' of the Sentinels 127.0.0.1:",
                "not monitored",
                "Jedis has logged the answer of each Sentinel");
    }

    /** Unlike with a single server, nobody knows where the masters are. */
    @Test
    void withoutAnAnswerThereIsNoStore() {
        String nobody = "127.0.0.1:" + FreePort.find();
        assertRefused(
                () -> RedisStore.connect("redis-cluster://:geheim@" + nobody, SharedRedis.PATIENT),
                "could not connect to Redis at cluster " + nobody + ": ",
                "Connection refused");
        assertRefused(
                () -> RedisStore.connect("redis-sentinel://:geheim@" + nobody + "/m", SharedRedis.PATIENT),
                "could not connect to Redis at master 'm' of the Sentinels " + nobody + ": ",
                "All sentinels down");
    }

    private static void assertRefused(ThrowingCallable connect, String start, String... texts) {
        assertThatThrownBy(connect)
                .isInstanceOf(StoreException.class)
                .hasMessageStartingWith(start)
                .satisfies(failure -> assertThat(stackTrace(failure)).doesNotContain("geheim"))
                .message()
                .contains(texts);
    }

    private static String stackTrace(Throwable failure) {
        StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        return trace.toString();
    }

    @Test
    void whatDoesNotFitTheUriIsNamed() {
        RedisStoreBuilder withCredentials = RedisStore.builder().credentials(SHOP);
        assertUnfit(
                () -> withCredentials.connect("redis://user:geheim@localhost"),
                "the options have credentials, but the URI has a password as well");
        assertUnfit(
                () -> RedisStore.builder().sentinelCredentials(SHOP).connect("redis-cluster://localhost"),
                "the options have sentinelCredentials, but the URI is not redis-sentinel://");
        assertUnfit(
                () -> RedisStore.builder().sslParameters(new SSLParameters()).connect("redis-cluster://localhost"),
                "the options have sslParameters, but the URI is not rediss://");
        assertUnfit(
                () -> RedisStore.builder().maxConnections(0).connect("redis://localhost"),
                "maxConnections 0 is not between 1 and 10000");
    }

    @Test
    void whatAClientWouldIgnoreIsRefused() {
        try (RedisClient client = SharedRedis.client()) {
            Stream.of(
                            RedisStore.builder().credentials(SHOP),
                            RedisStore.builder().sentinelCredentials(SHOP),
                            RedisStore.builder().sslParameters(new SSLParameters()))
                    .forEach(builder -> assertUnfit(
                            () -> RedisStore.using(client, builder.build()),
                            "the options have credentials, sentinelCredentials, sslContext, or sslParameters, and the"
                                    + " client connects without them: set them where the client is built"));
        }
    }

    private static void assertUnfit(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }

    @Test
    void aBuilderConnectsToSeveralServers() {
        RedisStoreBuilder builder = SharedRedis.PATIENT.toBuilder();
        try (OwnRedis another = new OwnRedis();
                RedisStore first = builder.connect(SharedRedis.uri());
                RedisStore second = builder.connect(another.uri())) {
            String key = "several:" + LeaseToken.next();
            on(first).put(key, LeaseToken.next().toBytes(), Duration.ofMinutes(1));
            assertThat(on(second).read(key)).isNull();
        }
    }
}
