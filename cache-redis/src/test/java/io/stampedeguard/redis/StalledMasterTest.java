package io.stampedeguard.redis;

import static io.stampedeguard.redis.Topologies.ask;
import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.command.ChangeTimes;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.command.Script;
import io.stampedeguard.redis.internal.command.Script.LeaseScripts;
import io.stampedeguard.redis.internal.command.StoreClock;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.connect.Breakers;
import io.stampedeguard.redis.internal.connect.ClientConnections;
import io.stampedeguard.redis.internal.pipeline.Pipelines;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForwardingTime;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.args.Rawable;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * One of three masters stalls. If a timeout is ten minutes, a caller that waits for it hangs: a call that ends within
 * the time limit of the test has waited for none.
 */
@Timeout(180)
@Order(1)
class StalledMasterTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** Far beyond the time limit of a test, even on a machine that is busy. */
    private static final Duration HANGS = Duration.ofMinutes(10);

    /** For tests that wait for a timeout; no working master takes so long. */
    private static final Duration BRIEF = Duration.ofSeconds(6);

    private static final int OF_EACH = 5;

    @AutoClose
    private static final StallingCluster cluster = new StallingCluster();

    private final List<String> keys = cluster.keys("stalled-" + LeaseToken.next(), OF_EACH);
    private final List<HeldLease> leases =
            keys.stream().map(key -> new HeldLease(key, LeaseToken.next())).toList();
    private final List<AutoCloseable> open = new ArrayList<>();
    private RedisClusterClient client;
    private RedisStore store;

    @BeforeEach
    void open() {
        use(HANGS, 8);
    }

    private void use(Duration timeout, int connections) {
        client = cluster.client(timeout, connections);
        store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
        open.add(store);
        open.add(client);
    }

    @AfterEach
    void close() throws Exception {
        cluster.goOn();
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private static List<String> keysOf(List<HeldLease> leases) {
        return leases.stream().map(HeldLease::key).toList();
    }

    private List<HeldLease> leases(Predicate<String> which) {
        return leases.stream().filter(lease -> which.test(lease.key())).toList();
    }

    private List<HeldLease> ofOthers() {
        return leases(key -> !cluster.isStalling(key));
    }

    private List<HeldLease> ofStalling() {
        return leases(cluster::isStalling);
    }

    private Map<String, LeaseAttempt> leaseAll(List<HeldLease> some) {
        return on(store)
                .leaseAll(
                        some.stream()
                                .map(lease -> new LeaseRequest(lease.key(), lease.token(), null))
                                .toList(),
                        MINUTE);
    }

    private Map<String, Boolean> publishAll(List<HeldLease> some) {
        return on(store)
                .endAll(some, lease -> new LeaseEnd.Publish(lease.token().toBytes(), MINUTE));
    }

    private static <T> FutureTask<T> inBackground(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    @Test
    void keysAreGroupedByMasterAsSoonAsTheMastersAreKnown() {
        assertThat(store.shared().groups(keys)).containsExactly(keys);

        on(store).readAll(keys);

        List<List<String>> groups = store.shared().groups(keys);
        assertThat(groups).hasSize(3).allSatisfy(group -> {
            assertThat(group).hasSize(OF_EACH);
            assertThat(group.stream().map(cluster::masterOf).distinct()).hasSize(1);
        });
        assertThat(groups.stream().flatMap(List::stream)).containsExactlyInAnyOrderElementsOf(keys);
    }

    @Test
    void leasesOfOtherMastersAreTakenRenewedAndPublishedWithoutTimeout() {
        leaseAll(leases);
        cluster.stall();

        assertThatThrownBy(() -> store.shared().renew(ofStalling(), Duration.ofSeconds(1)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("no answer within 200 ms");
        for (HeldLease lease : ofOthers()) {
            assertThat(on(store).read(lease.key())).isNull();
            assertThat(on(store).lease(lease.key(), lease.token(), null, MINUTE))
                    .isInstanceOf(LeaseAttempt.Granted.class);
        }
        assertThat(store.shared().renew(ofOthers(), MINUTE)).isEmpty();
        assertThat(leaseAll(ofOthers()).values()).hasSize(2 * OF_EACH).containsOnly(new LeaseAttempt.Granted(0));
        assertThat(publishAll(ofOthers()).values()).hasSize(2 * OF_EACH).containsOnly(true);
        assertThat(on(store).readAll(keysOf(ofOthers()))).hasSize(2 * OF_EACH).doesNotContainValue(null);
    }

    @Test
    void callersWhoWaitForItHoldNoConnectionToAnother() throws Exception {
        use(HANGS, 2);
        leaseAll(leases);
        publishAll(leases);
        cluster.stall();

        List<FutureTask<Map<String, byte[]>>> mixed = IntStream.range(0, 6)
                .mapToObj(i -> inBackground(() -> on(store).readAll(keys)))
                .toList();
        Fleet.until(() -> StallingCluster.inUse(client, cluster.stalling()) > 0);
        Fleet.until(() -> cluster.others().stream().allMatch(other -> StallingCluster.inUse(client, other) == 0));
        assertThat(on(store).readAll(keysOf(ofOthers()))).hasSize(2 * OF_EACH).doesNotContainValue(null);
        assertThat(mixed).noneMatch(FutureTask::isDone);

        cluster.goOn();
        for (FutureTask<Map<String, byte[]>> each : mixed) {
            assertThat(each.get()).hasSize(3 * OF_EACH).doesNotContainValue(null);
        }
    }

    @Test
    void connectingToItDelaysNothingThatIsSentToTheOthers() throws Exception {
        on(store).read(keysOf(ofOthers()).get(0)); // now the masters are known, and hardly any connection is open
        cluster.resetCalls();
        cluster.stall();

        FutureTask<Map<String, LeaseAttempt>> mixed = inBackground(() -> leaseAll(leases));
        for (RedisProcess other : cluster.others()) {
            Fleet.until(() -> cluster.calls(other, "evalsha") >= OF_EACH);
        }
        assertThat(mixed).isNotDone();

        cluster.goOn();
        assertThat(mixed.get()).hasSize(3 * OF_EACH);
    }

    @Test
    void itIsAskedOnceAndComesLastUntilItAnswers() {
        use(BRIEF, 8);
        leaseAll(leases);
        publishAll(leases);
        List<String> stalled = keysOf(ofStalling());
        List<String> mixed = List.of(stalled.get(0), keysOf(ofOthers()).get(0));
        Received received = new Received(cluster.stalling());
        open.add(received);
        cluster.stall();

        Map<String, byte[]> entries = on(store).readAll(keys);
        assertThat(entries.keySet()).containsExactlyInAnyOrderElementsOf(keysOf(ofOthers()));
        assertThat(on(store).readAll(keys).keySet()).containsExactlyInAnyOrderElementsOf(keysOf(ofOthers()));
        assertThatThrownBy(() -> on(store).read(stalled.get(0)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("the circuit breaker is open");
        assertThat(store.shared().groups(keys).get(2)).isEqualTo(stalled);
        for (int i = 0; i < 20; i++) {
            store.onRedis().learnTime();
        }

        cluster.goOn();
        List<String> commands = received.untilNow();
        assertThat(commands)
                .filteredOn(each -> keys.stream().anyMatch(each::contains))
                .as("of the first call only: %s", commands)
                .hasSize(OF_EACH)
                .allMatch(each -> each.contains("\"MGET\""));
        assertThat(commands).noneMatch(each -> each.contains("\"TIME\""));
        Fleet.until(() -> on(store).readAll(keys).size() == 3 * OF_EACH);
        assertThat(store.shared().groups(mixed).get(0)).isEqualTo(mixed.subList(0, 1));
    }

    @Test
    void leaseOnAnotherMasterIsRenewedUntilItsValueIsPublished() throws Exception {
        String name = "stalled-" + LeaseToken.next().toString();
        List<String> inCache = cluster.keys(name, 1);
        String stalledKey =
                inCache.stream().filter(cluster::isStalling).findFirst().orElseThrow();
        String otherKey = inCache.stream()
                .filter(key -> !cluster.isStalling(key))
                .findFirst()
                .orElseThrow();
        RedisProcess other = cluster.masterOf(otherKey);
        CountDownLatch both = new CountDownLatch(2);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger loads = new AtomicInteger();
        try (StampedeGuardedCache<String, String> cache = textCache(name, store)
                .policy(CachePolicy.builder()
                        .leaseTtl(Duration.ofSeconds(15)) // renewed after a third: a machine may stall for the rest
                        .waitTimeout(Duration.ofMinutes(2))
                        .loadTimeout(Duration.ofMinutes(2))
                        .build())
                .build()) {
            Loader<String, String> loader = key -> {
                loads.incrementAndGet();
                both.countDown();
                goOn.await();
                return "v";
            };
            FutureTask<String> ofStalling =
                    inBackground(() -> cache.get(stalledKey.substring(name.length() + 1), loader));
            FutureTask<String> ofOther = inBackground(() -> cache.get(otherKey.substring(name.length() + 1), loader));
            both.await();
            cluster.resetCalls();
            cluster.stall();

            Fleet.until(() -> cluster.calls(other, "evalsha") >= 4); // more than a life of the lease
            goOn.countDown();

            assertThat(ofOther.get()).isEqualTo("v");
            assertThat(cache.get(otherKey.substring(name.length() + 1), loader)).isEqualTo("v");
            assertThat(loads).as("of both keys").hasValue(2);
            cluster.goOn();
            assertThat(ofStalling.get()).isEqualTo("v");
        }
    }

    @Test
    void connectionsThatDiedWhileTheyLayIdleSayNothingOfTheirMaster() {
        RedisStore unhurried = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER, new Unhurried());
        on(unhurried).readAll(keys);
        for (RedisProcess master : cluster.all()) {
            List<Connection> idle = borrow(master, 8);
            idle.forEach(Connection::close);
            ask(master, admin -> {
                LostConnectionsTest.killIdle(admin);
                return admin;
            });
        }

        for (String key : keys.subList(0, 3)) {
            assertThat(on(unhurried).read(key)).isNull();
        }
    }

    @Test
    void connectionsThatOthersUseSayNothingOfTheirMaster() {
        client = cluster.client(BRIEF, 1);
        open.add(client);
        RedisStore unhurried = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER, new Unhurried());
        on(unhurried).readAll(keys);
        String key = keysOf(ofStalling()).get(0);
        byte[] redisKey = new RedisKeys("").value(key);
        Cluster known = requireNonNull(unhurried.onRedis().commands().cluster());
        List<Connection> all = borrow(cluster.stalling(), 1);

        requireNonNull(known.breaker(known.knownMaster(redisKey), redisKey))
                .failed(System.nanoTime(), new JedisConnectionException("Unexpected end of stream."));

        assertThatThrownBy(() -> unhurried.shared().read(key, Duration.ZERO))
                .isInstanceOfSatisfying(
                        StoreException.class,
                        failure -> assertThat(failure.isShortage()).isTrue());
        all.forEach(Connection::close);
    }

    @Test
    void leasesOfOtherMastersAreGrantedWhileOneHasNoConnectionLeft() {
        client = cluster.client(BRIEF, 1);
        open.add(client);
        RedisStore patient =
                RedisStore.using(client, SharedRedis.WITHOUT_BREAKER, new PatientTime(Duration.ofSeconds(1)));
        on(patient).readAll(keys);
        List<Connection> all = borrow(cluster.stalling(), 1);

        Map<String, LeaseAttempt> attempts = patient.shared()
                .lease(
                        leases.stream()
                                .map(lease -> new LeaseRequest(lease.key(), lease.token(), null))
                                .toList(),
                        MINUTE,
                        Duration.ofSeconds(3));

        all.forEach(Connection::close);
        assertThat(attempts).hasSize(3 * OF_EACH);
        assertThat(attempts.get(keysOf(ofOthers()).get(0))).isInstanceOf(LeaseAttempt.Granted.class);
        assertThat(attempts.get(keysOf(ofStalling()).get(0))).isInstanceOf(LeaseAttempt.Held.class);
    }

    @Test
    void errorWhileCommandsAreSentKeepsNoConnection() {
        ClientConnections connections = ClientConnections.of(client);
        BackgroundThreads threads = new BackgroundThreads("stalled", TimeSource.system());
        Breakers breakers = new Breakers(MINUTE, key -> null, threads, TimeSource.system());
        Pipelines pipelines = Pipelines.of(client, connections, breakers, threads, TimeSource.system());
        List<CommandArguments> commands = keys.stream()
                .<CommandArguments>map(key -> new EndlessArguments().key(new RedisKeys("").value(key)))
                .toList();

        assertThatThrownBy(() -> pipelines.send(commands)).isInstanceOf(StackOverflowError.class);

        assertThat(cluster.all())
                .allSatisfy(master ->
                        assertThat(StallingCluster.inUse(client, master)).isZero());
    }

    @Test
    void renewalThatEndsWithAnErrorEnds() {
        RedisKeys keys = new RedisKeys("");
        ChangeTimes times = new ChangeTimes(keys, new StoreClock(TimeSource.system(), patience -> 0L));
        LeaseScripts scripts = new LeaseScripts(keys, new byte[0], new AtomicBoolean(true), times);
        Map<String, Script.Call> renewal = Map.of("k", scripts.renew(leases.get(0), MINUTE));

        assertThatThrownBy(() -> store.onRedis()
                        .commands()
                        .changeManySoon(store.onRedis().commands().defaultTurn(), MINUTE, "renew", renewal, answer -> {
                            throw new OutOfMemoryError("so the test wants it");
                        }))
                .isInstanceOf(StoreException.class)
                .hasRootCauseInstanceOf(OutOfMemoryError.class);
    }

    private List<Connection> borrow(RedisProcess master, int number) {
        ConnectionPool pool = client.getClusterNodes().get(master.host() + ":" + master.port());
        return Stream.generate(pool::getResource).limit(number).toList();
    }

    /** Arguments whose encoding overflows the stack. */
    private static final class EndlessArguments extends CommandArguments {
        EndlessArguments() {
            super(Protocol.Command.GET);
        }

        @Override
        public Iterator<Rawable> iterator() {
            throw new StackOverflowError("so the test wants it");
        }
    }

    /** The clocks of the machine, for a caller that waits as long as it takes. */
    private static final class Unhurried extends ForwardingTime {
        Unhurried() {
            super(TimeSource.system());
        }

        @Override
        public boolean await(CountDownLatch latch, long nanos) throws InterruptedException {
            return super.await(latch, MINUTE.toNanos());
        }
    }

    /** Returns the name of a cache whose generation is on the master that stalls. */
    private static String cacheWithGenerationOnIt() {
        return Stream.generate(() -> "generation-" + LeaseToken.next())
                .filter(name -> cluster.masterOf(new RedisKeys("").generation(name)) == cluster.stalling())
                .findFirst()
                .orElseThrow();
    }

    private StampedeGuardedCache<String, String> cache(String name) {
        return textCache(name, store).build();
    }

    /** Stores an entry on another master, and then invalidates all; returns the key. */
    private String invalidatedKey(String name) {
        String key = cluster.keys(name, 1).stream()
                .filter(each -> !cluster.isStalling(each))
                .findFirst()
                .orElseThrow()
                .substring(name.length() + 1);
        try (StampedeGuardedCache<String, String> before = cache(name)) {
            before.put(key, "old");
            before.invalidateAll();
        }
        return key;
    }

    @Test
    void processThatHasJustStartedWaitsForTheGeneration() throws Exception {
        String name = cacheWithGenerationOnIt();
        String key = invalidatedKey(name);
        use(HANGS, 8);
        on(store).read(name + ":" + key); // now the masters are known
        cluster.stall();
        try (StampedeGuardedCache<String, String> newcomer = cache(name)) {
            FutureTask<String> read = inBackground(() -> newcomer.getIfPresent(key));
            FutureTask<Map<String, String>> all =
                    inBackground(() -> newcomer.getAll(List.of(key), keys -> Map.of(key, "new")));

            cluster.goOn();

            assertThat(read.get()).isIn(null, "new");
            assertThat(all.get()).containsEntry(key, "new");
            assertThat(newcomer.getIfPresent(key)).isEqualTo("new");
        }
    }

    private boolean isUsable(String storeKey) {
        try {
            on(store).read(storeKey);
            return true;
        } catch (StoreException unanswered) {
            return false;
        }
    }

    @Test
    void processThatHasJustStartedUsesNothingWithoutTheGeneration() {
        String name = cacheWithGenerationOnIt();
        String key = invalidatedKey(name);
        use(BRIEF, 8);
        on(store).read(name + ":" + key);
        cluster.stall();
        try (StampedeGuardedCache<String, String> newcomer = cache(name)) {
            assertThat(newcomer.getIfPresent(key)).isNull();

            assertThatThrownBy(() -> on(store).readAll(List.of(name + ":" + key)))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("is not known yet");
            assertThatThrownBy(() -> on(store).lease(name + ":" + key, LeaseToken.next(), null, MINUTE))
                    .isInstanceOf(StoreException.class);
            assertThat(newcomer.get(key, each -> "loaded without a lease")).isEqualTo("loaded without a lease");

            cluster.goOn();

            Fleet.until(() -> isUsable(name + ":" + key));
            newcomer.put(key, "put");
            assertThat(newcomer.getIfPresent(key)).isEqualTo("put");
        }
    }
}
