package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.changes;
import static io.stampedeguard.testkit.KeyCalls.notifications;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.topology.RedisCluster;
import io.stampedeguard.testbed.topology.RedisSentinels;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.ChangesEar;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.RecordingListener;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultRedisCredentials;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisCredentials;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

/**
 * Users and passwords that change while a store uses them. A server that deletes a user ends its connections, as one does whose
 * tokens expire.
 */
class RotatedCredentialsTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int ROTATIONS = 5;
    private static final int READERS = 8;
    private static final int ROWS = 40;
    private static final long LAST_ROW = ROWS;

    @AutoClose
    private final OwnRedis redis = new OwnRedis();

    private final AtomicReference<RedisCredentials> current = new AtomicReference<>();

    @Test
    void connectionsForNotificationsOutliveTheirUser() {
        RedisStoreBuilder builder = SharedRedis.PATIENT.toBuilder().credentials(current::get);
        create("one", List.of(redis.server()));
        use("one");
        try (RedisStore store = builder.connect(redis.uri())) {
            assertNothingIsMissedWhenTheUserIsReplaced(store, "one", "two", List.of(redis.server()));
        }
    }

    @Test
    @ResourceLock(value = SharedCluster.LOCK, mode = ResourceAccessMode.READ)
    void connectionsForNotificationsOutliveTheirUserOnEachMasterOfACluster() {
        List<RedisProcess> servers = SharedCluster.get().nodes();
        RedisStoreBuilder builder = SharedRedis.PATIENT.toBuilder().credentials(current::get);
        create("rotated-1", servers);
        use("rotated-1");
        try (RedisStore store = builder.connect(Topologies.uri(SharedCluster.get()))) {
            assertNothingIsMissedWhenTheUserIsReplaced(store, "rotated-1", "rotated-2", servers);
        } finally {
            delete("rotated-2", servers);
        }
    }

    /** A command is sent on two of them at most; the search for its master skips the others. */
    @Test
    @ResourceLock(value = SharedCluster.LOCK, mode = ResourceAccessMode.READ)
    void manyIdleConnectionsThatEndTogetherCostNoCommand() {
        List<RedisProcess> servers = SharedCluster.get().nodes();
        create("rotated-3", servers);
        create("rotated-4", servers);
        use("rotated-3");
        try (RedisStore store = SharedRedis.PATIENT.toBuilder()
                .credentials(current::get)
                .connect(Topologies.uri(SharedCluster.get()))) {
            on(store).put("rotated:0", LeaseToken.next().toBytes(), LONG); // now it knows the masters
            requireNonNull(store.onRedis().commands().cluster())
                    .pools()
                    .values()
                    .forEach(pool ->
                            Stream.generate(pool::getResource).limit(4).toList().forEach(Connection::close));
            use("rotated-4");
            delete("rotated-3", servers);
            for (int i = 0; i < 20; i++) {
                on(store).put("rotated:" + i, LeaseToken.next().toBytes(), LONG);
                assertThat(on(store).read("rotated:" + i)).isNotNull();
            }
        } finally {
            delete("rotated-4", servers);
        }
    }

    @Test
    void providerOfAClientIsAskedAsWell() {
        create("one", List.of(redis.server()));
        use("one");
        try (RedisClient client = RedisClient.builder()
                        .hostAndPort(redis.server().host(), redis.server().port())
                        .clientConfig(Topologies.config(current::get))
                        .poolConfig(Topologies.pool(4))
                        .build();
                RedisStore store = RedisStore.using(client, SharedRedis.PATIENT)) {
            assertNothingIsMissedWhenTheUserIsReplaced(store, "one", "two", List.of(redis.server()));
        }
    }

    private void assertNothingIsMissedWhenTheUserIsReplaced(
            RedisStore store, String former, String next, List<RedisProcess> servers) {
        Waiter waiter = new Waiter();
        ChangesEar ear = new ChangesEar();
        notifications(store).watch("rotated:1", waiter);
        changes(store).watchChanges("rotated", List.of(ear));
        waiter.awaitListenings(1);
        ear.awaitListening(1);

        create(next, servers);
        use(next);
        Fleet.until(() -> subscribers(servers, former) == 0);
        assertThat(subscribers(servers, next)).isGreaterThanOrEqualTo(2);
        delete(former, servers);

        on(store).put("rotated:1", LeaseToken.next().toBytes(), LONG);
        ear.awaitChanged("rotated:1");
        waiter.awaitNotices(1);
        assertThat(ear.words()).doesNotContain("disconnected");
        assertThat(waiter.listenings()).isEqualTo(1);
    }

    /** As if the token came before the server had heard of it. */
    @Test
    void loginThatIsRefusedIsRepeatedUntilTheServerKnowsIt() {
        create("one", List.of(redis.server()));
        use("one");
        try (RedisStore store =
                SharedRedis.PATIENT.toBuilder().credentials(current::get).connect(redis.uri())) {
            ChangesEar ear = new ChangesEar();
            changes(store).watchChanges("rotated", List.of(ear));
            ear.awaitListening(1);
            use("two");
            Fleet.until(() -> redis.admin().aclLog().stream()
                    .anyMatch(entry -> entry.getUsername().equals("two")));
            create("two", List.of(redis.server()));
            Fleet.until(() -> subscribers(List.of(redis.server()), "two") == 1);
            assertThat(ear.words()).containsExactly("listening");
        }
    }

    @Test
    void providerThatThrowsEndsNoConnection() {
        AtomicInteger thrown = new AtomicInteger();
        AtomicBoolean throwing = new AtomicBoolean();
        create("one", List.of(redis.server()));
        use("one");
        RedisStoreBuilder builder = SharedRedis.PATIENT.toBuilder().credentials(() -> {
            if (throwing.get()) {
                thrown.incrementAndGet();
                throw new IllegalStateException("no token");
            }
            return current.get();
        });
        try (RedisStore store = builder.connect(redis.uri());
                RedisStore other = RedisStore.connect(redis.uri(), SharedRedis.PATIENT)) {
            ChangesEar ear = new ChangesEar();
            changes(store).watchChanges("rotated", List.of(ear));
            ear.awaitListening(1);
            throwing.set(true);
            Fleet.until(() -> thrown.get() > 1);
            on(other).put("rotated:1", LeaseToken.next().toBytes(), LONG);
            ear.awaitChanged("rotated:1");
            ear.awaitAll();
            assertThat(ear.words()).containsExactly("listening", "changed rotated:1");
        }
    }

    @Test
    void noGetFailsWhileUsersAreReplacedUnderLoad() throws Exception {
        replaceUsersUnderLoad(redis.uri(), List.of(redis.server()));
    }

    @Test
    @ResourceLock(value = SharedCluster.LOCK, mode = ResourceAccessMode.READ)
    void noGetFailsWhileUsersOfAClusterAreReplacedUnderLoad() throws Exception {
        replaceUsersUnderLoad(
                Topologies.uri(SharedCluster.get()), SharedCluster.get().nodes());
    }

    @Test
    void noGetFailsWhileUsersBehindSentinelsAreReplacedUnderLoad() throws Exception {
        try (RedisSentinels sentinels = RedisSentinels.startWithoutFailover()) {
            replaceUsersUnderLoad(Topologies.uri(sentinels), List.of(sentinels.master()));
        }
    }

    private void replaceUsersUnderLoad(String uri, List<RedisProcess> servers) throws Exception {
        create("loaded-0", servers);
        use("loaded-0");
        rotateUnderLoad(SharedRedis.PATIENT.toBuilder(), uri, round -> {
            create("loaded-" + round, servers);
            use("loaded-" + round);
            Fleet.until(() -> subscribers(servers, "loaded-" + (round - 1)) == 0);
            delete("loaded-" + (round - 1), servers);
        });
        delete("loaded-" + ROTATIONS, servers);
    }

    @Test
    void noGetFailsWhileThePasswordChangesUnderLoad() throws Exception {
        changePasswordUnderLoad(SharedRedis.PATIENT.toBuilder(), redis.uri(), List.of(redis.server()));
    }

    @Test
    void noGetFailsWhileThePasswordOfAClusterChangesUnderLoad() throws Exception {
        try (RedisCluster cluster = RedisCluster.startWithoutFailover()) {
            changePasswordUnderLoad(SharedRedis.PATIENT.toBuilder(), Topologies.uri(cluster), cluster.nodes());
        }
    }

    @Test
    void noGetFailsWhileThePasswordBehindSentinelsChangesUnderLoad() throws Exception {
        try (RedisSentinels sentinels = RedisSentinels.startWithoutFailover()) {
            changePasswordUnderLoad(
                    SharedRedis.PATIENT.toBuilder(), Topologies.uri(sentinels), List.of(sentinels.master()));
        }
    }

    @Test
    void noGetFailsWhileThePasswordChangesUnderLoadOverTls(@TempDir Path directory) throws Exception {
        Certificate certificate = Certificate.naming("ip:127.0.0.1", directory);
        RedisStoreBuilder builder = SharedRedis.PATIENT.toBuilder().sslContext(certificate.presenting());
        try (RedisProcess member = TlsServers.startCluster(certificate);
                RedisProcess master = TlsServers.start(certificate);
                RedisProcess sentinel = TlsServers.startSentinel(certificate, master, "shop-1")) {
            changePasswordUnderLoad(builder, "rediss-cluster://" + TlsServers.address(member), List.of(member));
            changePasswordUnderLoad(
                    builder, "rediss-sentinel://" + TlsServers.address(sentinel) + "/shop-1", List.of(master));
        }
    }

    /** Its rights change as well, between all keys and those of the cache. */
    private void changePasswordUnderLoad(RedisStoreBuilder builder, String uri, List<RedisProcess> servers)
            throws Exception {
        create("shop", servers);
        use("shop");
        rotateUnderLoad(builder, uri, round -> {
            String password = ">geheim-" + round;
            String[] rights = round % 2 == 0
                    ? new String[] {"resetpass", password, "allkeys", "allchannels"}
                    : new String[] {"resetpass", password, "resetkeys", "~{rotated:*", "resetchannels", "&{rotated:*"};
            toEach(servers, admin -> admin.aclSetUser("shop", password));
            current.set(new DefaultRedisCredentials("shop", password.substring(1)));
            toEach(servers, admin -> admin.aclSetUser("shop", rights));
            toEach(
                    servers,
                    admin -> admin.clientKill(ClientKillParams.clientKillParams()
                            .type(ClientType.NORMAL)
                            .user("shop")));
        });
    }

    private interface Rotation {
        void run(int round);
    }

    private void rotateUnderLoad(RedisStoreBuilder builder, String uri, Rotation rotation) throws Exception {
        AtomicLong gets = new AtomicLong();
        AtomicBoolean over = new AtomicBoolean();
        ChangesEar ear = new ChangesEar();
        RecordingListener events = new RecordingListener();
        try (RedisStore store = builder.credentials(current::get).connect(uri);
                StampedeGuardedCache<Long, String> cache = StampedeGuardedCache.<Long, String>builder("rotated")
                        .store(store)
                        .codec(StringCodec.of())
                        .nearCache(
                                NearCacheOptions.builder().maximumSize(ROWS / 4).build())
                        .listener(events)
                        .build();
                Callers callers = new Callers()) {
            changes(store).watchChanges("rotated", List.of(ear));
            ear.awaitListening(1);
            List<Callers.Call<Boolean>> calls = callers.call(READERS, () -> {
                Random random = new Random();
                while (!over.get()) {
                    long row = random.nextInt(ROWS);
                    assertThat(cache.get(row, key -> "row " + key)).isEqualTo("row " + row);
                    gets.incrementAndGet();
                    if (random.nextInt(20) == 0) {
                        cache.invalidate(row);
                    }
                }
                return true;
            });
            for (int round = 1; round <= ROTATIONS; round++) {
                long enough = gets.get() + 500;
                Fleet.until(() -> gets.get() > enough || calls.stream().anyMatch(Callers.Call::isOver));
                rotation.run(round);
            }
            long enough = gets.get() + 500;
            Fleet.until(() -> gets.get() > enough || calls.stream().anyMatch(Callers.Call::isOver));
            over.set(true);
            Callers.results(calls);
            cache.invalidate(LAST_ROW);
            ear.awaitChanged("rotated:" + LAST_ROW);
            assertThat(ear.words()).doesNotContain("disconnected");
            assertThat(events.count(EventType.NEAR_GAP)).isZero();
            assertThat(events.count(AnswerSource.FAILED)).isZero();
            assertThat(store.ping()).isPositive();
        }
    }

    private void use(String user) {
        current.set(new DefaultRedisCredentials(user, "geheim-" + user));
    }

    private static void create(String user, List<RedisProcess> servers) {
        toEach(servers, admin -> admin.aclSetUser(user, "on", ">geheim-" + user, "~*", "&*", "+@all"));
    }

    /** Each connection of the user ends. */
    private static void delete(String user, List<RedisProcess> servers) {
        toEach(servers, admin -> admin.aclDelUser(user));
    }

    private static void toEach(List<RedisProcess> servers, Function<Jedis, Object> command) {
        servers.forEach(server -> Topologies.ask(server, command));
    }

    /** Returns how many connections with a subscription are authenticated as a user. */
    private static long subscribers(List<RedisProcess> servers, String user) {
        return servers.stream()
                .flatMap(server -> Topologies.ask(server, Jedis::clientList).lines())
                .filter(line -> line.contains(" user=" + user + " "))
                .filter(line -> line.contains("sub=1 "))
                .count();
    }
}
