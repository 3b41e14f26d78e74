package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.connect.ClientConnections;
import io.stampedeguard.redis.internal.connect.SpareConnections;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForwardingTime;
import io.stampedeguard.time.TimeSource;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.providers.PooledConnectionProvider;

/** Whatever callers do with the connections of a client, lease holders have some of their own. */
class SpareConnectionsTest {
    private static final Duration TTL = ofMinutes(5);
    private static final int CONNECTIONS = 2;

    private final RedisProcess server = RedisServer.startProcess();
    private final RedisClient client = client(server);
    private final RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);

    @AfterEach
    void stop() {
        store.close();
        client.close();
        server.close();
    }

    private static RedisClient client(RedisProcess server) {
        GenericObjectPoolConfig<Connection> pool = Topologies.pool(CONNECTIONS);
        pool.setMaxWait(Duration.ofMillis(10));
        return RedisClient.builder()
                .hostAndPort(server.host(), server.port())
                .clientConfig(Topologies.config())
                .poolConfig(pool)
                .build();
    }

    private HeldLease lease(String key) {
        LeaseToken token = LeaseToken.next();
        assertThat(on(store).lease(key, token, null, TTL)).isInstanceOf(LeaseAttempt.Granted.class);
        return new HeldLease(key, token);
    }

    private static byte[] entry(HeldLease lease) {
        return Arrays.copyOf(lease.token().toBytes(), LeaseToken.BYTES + 1);
    }

    private interface Holder {
        boolean isDone(RedisStore store, List<HeldLease> leases);
    }

    private static Arguments holder(String name, Holder holder) {
        return Arguments.of(Named.of(name, holder));
    }

    static Stream<Arguments> holders() {
        return Stream.of(
                holder("renew", (store, held) -> store.shared().renew(held, TTL).isEmpty()),
                holder(
                        "publish",
                        (store, held) ->
                                all(held, each -> on(store).publish(each.key(), each.token(), entry(each), TTL))),
                holder(
                        "publishAll",
                        (store, held) ->
                                isTrue(on(store).endAll(held, each -> new LeaseEnd.Publish(entry(each), TTL)))),
                holder("abandon", (store, held) -> all(held, each -> on(store).abandon(each.key(), each.token()))),
                holder("abandonAll", (store, held) -> isTrue(on(store).abandonAll(held))),
                holder("fail", (store, held) -> all(held, each -> on(store).fail(each.key(), each.token(), failed()))),
                holder(
                        "pass",
                        (store, held) -> all(
                                held,
                                each -> on(store)
                                        .pass(
                                                each.key(),
                                                each.token(),
                                                new LeaseEnd.Pass(null, TTL, false, List.of())))));
    }

    private static LeaseEnd.Fail failed() {
        return new LeaseEnd.Fail(new byte[] {1}, 1, TTL, TTL);
    }

    private static boolean all(List<HeldLease> held, Predicate<HeldLease> isDone) {
        return held.stream().allMatch(isDone);
    }

    private static boolean isTrue(Map<String, Boolean> done) {
        return done.size() == 3 && !done.containsValue(false);
    }

    @ParameterizedTest
    @MethodSource("holders")
    void leaseHolderIsAnsweredWhileCallersUseAllConnections(Holder holder) throws Exception {
        List<HeldLease> held =
                IntStream.range(0, 3).mapToObj(i -> lease("spare:k" + i)).toList();
        List<Connection> used = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                used.add(client.getPool().borrowObject(ofMinutes(1))); // the check of the server may use one until then
            }
            assertThatThrownBy(() -> store.shared().read("spare:k0", Duration.ofMillis(1)))
                    .isInstanceOfSatisfying(
                            StoreException.class,
                            failure -> assertThat(failure.isShortage()).isTrue());

            assertThat(holder.isDone(store, held)).isTrue();
        } finally {
            used.forEach(Connection::close);
        }
    }

    @Test
    void connectionThatBrokeWhileItWasIdleIsReplaced() {
        HeldLease lease = lease("spare:k");
        assertThat(store.shared().renew(List.of(lease), TTL)).isEmpty();
        try (RedisClient killer = PlainRedis.connectPatiently(server.uri(), 1)) {
            killer.executeCommand(new CommandArguments(Protocol.Command.CLIENT)
                    .add("KILL")
                    .add("TYPE")
                    .add("normal"));

            assertThat(store.shared().renew(List.of(lease), TTL)).isEmpty();
        }
    }

    @Test
    void callersConnectionsServeIfTheServerAcceptsNoMore() throws Exception {
        HeldLease lease = lease("spare:k");
        client.getPool().addObjects(CONNECTIONS); // the check of the server, in the background, uses one at most
        client.executeCommand(new CommandArguments(Protocol.Command.CONFIG)
                .add("SET")
                .add("maxclients")
                .add("1"));

        assertThat(store.shared().renew(List.of(lease), TTL)).isEmpty();
        assertThat(on(store).abandon(lease.key(), lease.token())).isTrue();
    }

    /** So that a server that stalls does not cost that thread another timeout. */
    @Test
    void threadThatGivesABrokenConnectionBackOpensNoOther() {
        CountedConnections sockets = new CountedConnections(server.port());
        try (UnifiedJedis counted = sockets.client();
                SpareConnections spare = new SpareConnections(ClientConnections.of(counted))) {
            Connection broken = spare.getConnection();
            broken.setBroken();

            assertThat(sockets.during(broken::close)).isZero();
        }
    }

    @Test
    void noCallersConnectionIsTriedAfterASpareOneTimesOut() {
        AtomicInteger timeouts = new AtomicInteger();
        ConnectionFactory silent = new ConnectionFactory(
                () -> {
                    timeouts.incrementAndGet();
                    throw new JedisConnectionException(new SocketTimeoutException("connect timed out"));
                },
                Topologies.config());
        try (UnifiedJedis timingOut = new UnifiedJedis(
                        new PooledConnectionProvider(silent, Topologies.pool(CONNECTIONS)), RedisProtocol.RESP2) {};
                SpareConnections spare = new SpareConnections(ClientConnections.of(timingOut))) {
            assertThatThrownBy(spare::getConnection).hasRootCauseInstanceOf(SocketTimeoutException.class);
        }
        assertThat(timeouts).hasValue(1);
    }

    @Test
    void leaseHolderNeverQueuesIfCallersTakeTheLastConnectionsFirst() throws Exception {
        HeldLease lease = lease("spare:k");
        Meanwhile time = new Meanwhile();
        CountDownLatch goOn = new CountDownLatch(1);
        List<Thread> readers = new ArrayList<>();
        try (UnifiedJedis gated = gatedReads(goOn);
                RedisStore raced = RedisStore.using(gated, SharedRedis.WITHOUT_BREAKER, time)) {
            time.lookedAt = () -> {
                for (int i = 0; i < CONNECTIONS; i++) {
                    String key = "spare:other" + i;
                    Thread reader = new Thread(() -> raced.shared().read(key, ofMinutes(1)));
                    readers.add(reader);
                    reader.start();
                }
                Fleet.until(() -> raced.onRedis().commands().toString().contains("calls in progress: 2 of 2"));
            };
            try {
                assertThat(on(raced).abandon(lease.key(), lease.token())).isTrue();
                assertThat(readers).as("the clock was looked at").hasSize(CONNECTIONS);
            } finally {
                goOn.countDown();
                for (Thread reader : readers) {
                    reader.join();
                }
            }
        }
    }

    /** Returns a client whose reads of single keys take a connection when they may go on, and not before. */
    private UnifiedJedis gatedReads(CountDownLatch goOn) {
        ConnectionFactory factory =
                new ConnectionFactory(new HostAndPort(server.host(), server.port()), Topologies.config());
        return new UnifiedJedis(
                new PooledConnectionProvider(factory, Topologies.pool(CONNECTIONS)), RedisProtocol.RESP2) {
            @Override
            public byte[] get(byte[] key) {
                Fleet.await(goOn);
                return super.get(key);
            }
        };
    }

    /** The clocks of the machine; when the test's thread first looks at them, as a call does before it queues, something happens. */
    private static final class Meanwhile extends ForwardingTime {
        private final Thread holder = Thread.currentThread();
        private @Nullable Runnable lookedAt;

        Meanwhile() {
            super(TimeSource.system());
        }

        @Override
        public long monotonicNanos() {
            if (Thread.currentThread() == holder && lookedAt != null) {
                Runnable happens = lookedAt;
                lookedAt = null;
                happens.run();
            }
            return super.monotonicNanos();
        }
    }
}
