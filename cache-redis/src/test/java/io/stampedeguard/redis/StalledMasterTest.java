package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseRequest;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.NewEntry;
import io.stampedeguard.store.StoreException;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.RedisClusterClient;

/**
 * One of three masters stands still. Where a timeout is a minute, whoever waits for it hangs: what ends within the limit of
 * the test has waited for none.
 */
@Timeout(40)
class StalledMasterTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    /** Where a timeout is waited for; no master that goes on takes so long. */
    private static final Duration BRIEF = Duration.ofSeconds(3);

    private static final int OF_EACH = 5;

    private static StallingCluster cluster;

    private final List<String> keys = cluster.keys("stalled-" + LeaseToken.next(), OF_EACH);
    private final List<HeldLease> leases =
            keys.stream().map(key -> new HeldLease(key, LeaseToken.next())).toList();
    private final List<AutoCloseable> open = new ArrayList<>();
    private RedisClusterClient client;
    private RedisStore store;

    @BeforeAll
    static void start() {
        cluster = new StallingCluster();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void open() {
        use(MINUTE, 8);
    }

    private void use(Duration timeout, int connections) {
        client = cluster.client(timeout, connections);
        store = RedisStore.using(client);
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
        return store.leaseAll(
                some.stream()
                        .map(lease -> new LeaseRequest(lease.key(), lease.token(), null))
                        .toList(),
                MINUTE);
    }

    private Map<String, Boolean> publishAll(List<HeldLease> some) {
        return store.publishAll(some.stream()
                .map(lease -> new NewEntry(lease, lease.token().toBytes(), MINUTE))
                .toList());
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
        assertThat(store.groups(keys)).containsExactly(keys);

        store.readAll(keys);

        List<List<String>> groups = store.groups(keys);
        assertThat(groups).hasSize(3).allSatisfy(group -> {
            assertThat(group).hasSize(OF_EACH);
            assertThat(group.stream().map(cluster::masterOf).distinct()).hasSize(1);
        });
        assertThat(groups.stream().flatMap(List::stream)).containsExactlyInAnyOrderElementsOf(keys);
    }

    @Test
    void theGroupOfAMasterThatDoesNotAnswerComesLastUntilItAnswers() {
        store.readAll(keys);
        cluster.stall();
        FutureTask<Map<String, byte[]>> waiting = inBackground(() -> store.readAll(keys));
        List<String> stalled = keysOf(ofStalling());
        Fleet.until(() -> store.groups(keys).get(2).equals(stalled));
        assertThat(waiting).isNotDone();

        cluster.goOn();

        List<String> mixed = List.of(stalled.get(0), keysOf(ofOthers()).get(0));
        Fleet.until(() -> store.groups(mixed).get(0).equals(mixed.subList(0, 1)));
    }

    @Test
    void leasesOfTheOthersAreTakenRenewedAndPublishedAndWithoutATimeout() {
        leaseAll(leases);
        cluster.stall();

        assertThatThrownBy(() -> store.renew(ofStalling(), Duration.ofSeconds(1)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("no answer within 200 ms");
        for (HeldLease lease : ofOthers()) {
            assertThat(store.read(lease.key())).isNull();
            assertThat(store.lease(lease.key(), lease.token(), null, MINUTE)).isInstanceOf(LeaseAttempt.Granted.class);
        }
        assertThat(store.renew(ofOthers(), MINUTE)).isEmpty();
        assertThat(leaseAll(ofOthers()).values()).hasSize(2 * OF_EACH).containsOnly(new LeaseAttempt.Granted(0));
        assertThat(publishAll(ofOthers()).values()).hasSize(2 * OF_EACH).containsOnly(true);
        assertThat(store.readAll(keysOf(ofOthers()))).hasSize(2 * OF_EACH).doesNotContainValue(null);
    }

    @Test
    void theClockIsAskedOfAMasterThatAnswers() {
        store.readAll(keys);
        cluster.stall();
        inBackground(() -> store.readAll(keys));
        Fleet.until(() -> cluster.isStalling(store.groups(keys).get(2).get(0)));

        for (int i = 0; i < 20; i++) {
            store.learnTime();
        }
    }

    @Test
    void callersWhoWaitForItHoldNoConnectionToAnother() throws Exception {
        use(MINUTE, 2);
        leaseAll(leases);
        publishAll(leases);
        cluster.stall();

        List<FutureTask<Map<String, byte[]>>> mixed = IntStream.range(0, 6)
                .mapToObj(i -> inBackground(() -> store.readAll(keys)))
                .toList();
        Fleet.until(() -> StallingCluster.inUse(client, cluster.stalling()) > 0);
        Fleet.until(() -> cluster.others().stream().allMatch(other -> StallingCluster.inUse(client, other) == 0));
        assertThat(store.readAll(keysOf(ofOthers()))).hasSize(2 * OF_EACH).doesNotContainValue(null);
        assertThat(mixed).noneMatch(FutureTask::isDone);

        cluster.goOn();
        for (FutureTask<Map<String, byte[]>> each : mixed) {
            assertThat(each.get()).hasSize(3 * OF_EACH).doesNotContainValue(null);
        }
    }

    @Test
    void connectingToItDelaysNothingThatIsSentToTheOthers() throws Exception {
        store.read(keysOf(ofOthers()).get(0)); // now the masters are known, and hardly any connection is made
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
    void callForAllMastersSendsItOneShareOnce() {
        use(BRIEF, 8);
        leaseAll(leases);
        publishAll(leases);
        cluster.resetCalls();
        cluster.stall();

        Map<String, byte[]> entries = store.readAll(keys);
        assertThat(entries.keySet()).containsExactlyInAnyOrderElementsOf(keysOf(ofOthers()));
        assertThat(store.readAll(keys).keySet()).containsExactlyInAnyOrderElementsOf(keysOf(ofOthers()));
        assertThatThrownBy(() -> store.read(keysOf(ofStalling()).get(0)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("has not answered lately");

        cluster.goOn();
        assertThat(cluster.calls(cluster.stalling(), "mget"))
                .as("of the first call only")
                .isEqualTo(OF_EACH);
        assertThat(cluster.calls(cluster.stalling(), "get")).isZero();
        Fleet.until(() -> store.readAll(keys).size() == 3 * OF_EACH);
    }

    @Test
    void itIsAskedAgainAsSoonAsItAnswers() {
        use(BRIEF, 8);
        String key = keysOf(ofStalling()).get(0);
        store.readAll(keys);
        cluster.stall();
        assertThatThrownBy(() -> store.read(key)).hasMessageContaining("Read timed out");
        assertThatThrownBy(() -> store.read(key)).hasMessageContaining("has not answered lately");
        cluster.goOn();

        Fleet.until(() -> {
            try {
                return store.read(key) == null;
            } catch (StoreException notYet) {
                return false;
            }
        });
    }
}
