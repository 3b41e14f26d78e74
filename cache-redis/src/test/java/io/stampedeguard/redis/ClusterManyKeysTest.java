package io.stampedeguard.redis;

import static io.stampedeguard.redis.Topologies.ask;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.measure.RedisCommands;
import io.stampedeguard.testbed.topology.RedisCluster;
import io.stampedeguard.testbed.topology.SlotMigration;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;
import redis.clients.jedis.util.JedisClusterCRC16;

/** Many keys at once, on the three masters of a cluster. */
@ResourceLock(SharedCluster.LOCK)
class ClusterManyKeysTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration LONGER = Duration.ofMinutes(10);
    private static final int MANY = 200;

    private static final RedisCluster cluster = SharedCluster.get();

    @AutoClose
    private static final RedisClusterClient client = Topologies.client(cluster);

    private final String prefix = "many:" + LeaseToken.next() + ":";
    private final List<HeldLease> leases = new ArrayList<>();

    ClusterManyKeysTest() {
        for (int i = 0; i < MANY; i++) {
            leases.add(new HeldLease(prefix + i, LeaseToken.next()));
        }
    }

    private Map<String, LeaseAttempt> leaseAll(RedisStore store) {
        return on(store)
                .leaseAll(
                        leases.stream()
                                .map(lease -> new LeaseRequest(lease.key(), lease.token(), null))
                                .toList(),
                        LONG);
    }

    private Map<String, Boolean> publishAll(RedisStore store) {
        return on(store)
                .endAll(leases, lease -> new LeaseEnd.Publish(lease.token().toBytes(), LONG));
    }

    private List<String> keys() {
        return leases.stream().map(HeldLease::key).toList();
    }

    private static int slot(String key) {
        return JedisClusterCRC16.getSlot(new RedisKeys("").value(key));
    }

    private Set<String> keysAt(RedisCluster where, RedisProcess master) {
        return keys().stream()
                .filter(key -> where.masterOf(slot(key)).equals(master))
                .collect(Collectors.toSet());
    }

    private static List<RedisProcess> masters() {
        return IntStream.of(0, 5_461, 16_383).mapToObj(cluster::masterOf).toList();
    }

    @Test
    void keysOfAllMastersAreLeasedPublishedAndRead() {
        RedisStore store = RedisStore.using(client, SharedRedis.PATIENT);

        assertThat(leaseAll(store))
                .hasSize(MANY)
                .allSatisfy((key, answer) -> assertThat(answer).isEqualTo(new LeaseAttempt.Granted(0)));
        assertThat(store.shared().renew(leases, LONG)).isEmpty();
        assertThat(publishAll(store)).hasSize(MANY).doesNotContainValue(false);
        Map<String, byte[]> entries = on(store).readAll(keys());

        leases.forEach(lease ->
                assertThat(entries.get(lease.key())).isEqualTo(lease.token().toBytes()));
        assertThat(keys().stream().collect(groupingBy(key -> cluster.masterOf(slot(key)), counting())))
                .as("keys of each master")
                .hasSize(3);
        assertThat(on(store).abandonAll(leases)).hasSize(MANY).doesNotContainValue(true);
    }

    /** Whichever of them comes first: a call that waited for it before sending to the others would be detected here. */
    @Test
    void noMasterIsWaitedForBeforeAllAreTold() throws Exception {
        RedisStore store = RedisStore.using(client, SharedRedis.PATIENT);
        leaseAll(store);
        Map<RedisProcess, Long> shares =
                keys().stream().collect(groupingBy(key -> cluster.masterOf(slot(key)), counting()));
        for (RedisProcess slow : shares.keySet()) {
            Map<RedisProcess, Long> others = new HashMap<>(shares);
            others.remove(slow);
            others.keySet().forEach(other -> ask(other, Jedis::configResetStat));
            slow.pause();
            try {
                FutureTask<Map<String, LeaseAttempt>> answers = new FutureTask<>(() -> leaseAll(store));
                new Thread(answers).start();
                others.forEach((other, share) -> Fleet.until(() -> calls(other, "evalsha") == share));
                assertThat(answers.isDone()).isFalse();
                slow.resume();
                assertThat(answers.get()).hasSize(MANY);
            } finally {
                slow.resume();
            }
        }
    }

    @Test
    void mastersThatForgotTheScriptsAreTaughtThem() {
        RedisStore store = RedisStore.using(client, SharedRedis.PATIENT);
        leaseAll(store);
        masters().forEach(master -> ask(master, Jedis::scriptFlush));
        masters().forEach(master -> ask(master, Jedis::configResetStat));

        assertThat(leaseAll(store))
                .hasSize(MANY)
                .allSatisfy((key, answer) -> assertThat(answer).isEqualTo(new LeaseAttempt.Granted(0)));

        masters().forEach(master -> {
            int share = keysAt(cluster, master).size();
            assertThat(calls(master, "evalsha") + calls(master, "eval")).isBetween(2L * share, 3L * share);
        });
    }

    @Test
    void keyWaitsForItsMovingSlotAndAllKeysAreAnswered() {
        AtomicInteger pauses = new AtomicInteger();
        String moving = keys().get(0);
        SlotMigration migration = cluster.migration(slot(moving), anotherMaster(moving));
        RedisStore store = store(new ClusterMovesTest.Pauses(nanos -> {
            if (pauses.incrementAndGet() == 3) {
                migration.end();
            }
        }));
        leaseAll(store);
        migration.begin();

        assertThat(publishAll(store)).hasSize(MANY).doesNotContainValue(false);

        assertThat(pauses).hasValue(3);
        assertThat(on(store).readAll(keys())).hasSize(MANY).doesNotContainValue(null);
    }

    @Test
    void slotThatMovesForTooLongCostsItsOwnKeysTheirAnswer() {
        String moving = keys().get(0);
        SlotMigration migration = cluster.migration(slot(moving), anotherMaster(moving));
        RedisStore store = store(new ClusterMovesTest.Pauses(nanos -> {}));
        leaseAll(store);
        migration.begin();
        try {
            assertThat(publishAll(store))
                    .hasSize(MANY - inSlotOf(moving))
                    .doesNotContainKey(moving)
                    .doesNotContainValue(false);
        } finally {
            migration.end();
        }
    }

    @Test
    void entriesAreReadWhereverTheyAreWhileTheirSlotMoves() {
        RedisStore store = RedisStore.using(client, SharedRedis.PATIENT);
        leaseAll(store);
        publishAll(store);
        String moving = keys().get(0);
        SlotMigration migration = cluster.migration(slot(moving), anotherMaster(moving));
        List<Runnable> steps = List.of(migration::begin, migration::moveKeys, migration::end);
        for (Runnable step : steps) {
            step.run();
            assertThat(on(store).readAll(keys())).hasSize(MANY).doesNotContainValue(null);
        }
        assertThat(on(store).readAll(keys())).hasSize(MANY).doesNotContainValue(null);
    }

    @Test
    void deadMasterCostsItsOwnKeysTheirAnswer() {
        try (RedisCluster three = RedisCluster.startWithoutFailover();
                RedisClusterClient theirs = Topologies.client(three, Duration.ofMillis(500))) {
            RedisStore store = RedisStore.using(theirs, SharedRedis.PATIENT);
            RedisProcess victim = three.masterOf(slot(keys().get(0)));
            Set<String> lost = keysAt(three, victim);
            victim.kill();

            Map<String, LeaseAttempt> answers = leaseAll(store);
            Map<String, byte[]> entries = on(store).readAll(keys());

            assertThat(answers.values()).hasSize(MANY - lost.size()).containsOnly(new LeaseAttempt.Granted(0));
            assertThat(answers.keySet()).doesNotContainAnyElementsOf(lost);
            assertThat(entries).hasSize(MANY - lost.size()).doesNotContainKeys(lost.toArray(new String[0]));
            assertThatThrownBy(() -> store.shared().renew(leases, LONGER)).isInstanceOf(StoreException.class);
            leases.stream()
                    .filter(lease -> !lost.contains(lease.key()))
                    .forEach(lease ->
                            assertThat(millisLeft(three, lease)).as("renewed").isGreaterThan(LONG.toMillis()));
            assertThat(publishAll(store).values()).hasSize(MANY - lost.size()).containsOnly(true);
            assertThatThrownBy(() -> on(store).readAll(lost))
                    .isInstanceOf(StoreException.class)
                    .hasMessageStartingWith("could not read " + lost.size() + " keys: ");
        }
    }

    @Test
    @Tag("proof")
    void successorOfADeadMasterIsFound() {
        try (RedisCluster three = RedisCluster.start();
                RedisClusterClient theirs = Topologies.client(three, Topologies.FAILOVER)) {
            RedisStore store = RedisStore.using(theirs, SharedRedis.PATIENT);
            leaseAll(store);
            RedisProcess victim = three.masterOf(0);
            Set<String> lost = keysAt(three, victim);
            int broken = theirs.getClusterNodes()
                    .get(victim.host() + ":" + victim.port())
                    .getNumIdle();
            victim.kill();
            three.awaitAllSlotsServed();

            for (int each = 0; each < broken; each++) {
                assertThat(leaseAll(store).values())
                        .as("a connection of the dead master that is broken fails a request, which is not repeated")
                        .hasSizeGreaterThanOrEqualTo(MANY - lost.size());
            }
            assertThat(leaseAll(store)).hasSize(MANY);
            assertThat(on(store).readAll(keys())).hasSize(MANY);
        }
    }

    private static long millisLeft(RedisCluster where, HeldLease lease) {
        byte[] key = new RedisKeys("").lease(lease.key());
        return ask(where.masterOf(JedisClusterCRC16.getSlot(key)), admin -> admin.pttl(key));
    }

    @Test
    void leasesAreRenewedThoughAllIdleConnectionsWereKilled() {
        RedisStore store = RedisStore.using(client, SharedRedis.PATIENT);
        leaseAll(store);
        cluster.nodes()
                .forEach(node -> ask(
                        node,
                        admin -> admin.clientKill(ClientKillParams.clientKillParams()
                                .type(ClientType.NORMAL)
                                .skipMe(ClientKillParams.SkipMe.YES))));

        assertThat(store.shared().renew(leases, LONG)).isEmpty();
    }

    private RedisProcess anotherMaster(String key) {
        RedisProcess master = cluster.masterOf(slot(key));
        return masters().stream()
                .filter(other -> !other.equals(master))
                .findFirst()
                .orElseThrow();
    }

    private int inSlotOf(String moving) {
        return (int) keys().stream().filter(key -> slot(key) == slot(moving)).count();
    }

    private static RedisStore store(TimeSource time) {
        return RedisStore.using(client, SharedRedis.PATIENT, time);
    }

    private static long calls(RedisProcess server, String command) {
        return RedisCommands.parse(ask(server, admin -> admin.info("commandstats")))
                .count(command);
    }
}
