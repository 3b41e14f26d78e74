package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.UnifiedJedis;

/** A hundred keys at once, on the wire and during failures. */
class ManyKeysTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final LeaseEnd.Fail FAILED = new LeaseEnd.Fail(new byte[1], 1, LONG, LONG);
    private static final int MANY = 100;

    @AutoClose
    private static final OwnRedis redis = new OwnRedis();

    private static final Jedis admin = redis.admin();

    private final String prefix = "many:" + LeaseToken.next() + ":";
    private final CountedConnections connections =
            new CountedConnections(redis.server().port());

    @AutoClose
    private final UnifiedJedis client = connections.client();

    private final RedisStore store = RedisStore.using(client, SharedRedis.PATIENT);
    private final List<HeldLease> leases = new ArrayList<>();

    ManyKeysTest() {
        for (int i = 0; i < MANY; i++) {
            leases.add(new HeldLease(prefix + i, LeaseToken.next()));
        }
    }

    /** The check of the server after the first change is no round trip of a test. */
    @BeforeEach
    void awaitServerCheck() {
        admin.configResetStat();
        ServerCheckTest.lease(store);
        ServerCheckTest.awaitCheck(admin);
        Fleet.until(() -> store.toString().contains("calls in progress: 0 of 4"));
    }

    private List<String> keys() {
        return leases.stream().map(HeldLease::key).toList();
    }

    private Map<String, LeaseAttempt> leaseAll() {
        return on(store)
                .leaseAll(
                        leases.stream()
                                .map(lease -> new LeaseRequest(lease.key(), lease.token(), null))
                                .toList(),
                        LONG);
    }

    private Map<String, Boolean> publishAll() {
        return on(store)
                .endAll(leases, lease -> new LeaseEnd.Publish(lease.token().toBytes(), LONG));
    }

    private Map<String, Boolean> failAll() {
        return on(store).endAll(leases, lease -> FAILED);
    }

    private Map<String, Boolean> invalidateAll() {
        return store.shared().invalidate(keys(), LONG);
    }

    @Test
    void theyAreReadByOneMget() {
        leaseAll();
        publishAll();
        admin.configResetStat();

        assertThat(connections.during(() -> assertThat(on(store).readAll(keys()))
                        .hasSize(MANY)
                        .allSatisfy((key, entry) -> assertThat(entry).hasSize(LeaseToken.BYTES))))
                .isEqualTo(1);

        assertThat(redis.calls()).containsOnly(Map.entry("mget", 1L));
    }

    @Test
    void eachChangeIsOneRoundTrip() {
        teachScripts();

        assertThat(roundTrips(this::leaseAll, new LeaseAttempt.Granted(0))).isEqualTo(1);
        assertThat(connections.during(
                        () -> assertThat(store.shared().renew(leases, LONG)).isEmpty()))
                .isEqualTo(1);
        assertThat(roundTrips(this::publishAll, true)).isEqualTo(1);
        assertThat(roundTrips(() -> on(store).abandonAll(leases), false)).isEqualTo(1);
        assertThat(roundTrips(this::failAll, false)).isEqualTo(1);
        assertThat(roundTrips(this::invalidateAll, true)).isEqualTo(1);
    }

    @Test
    void eachKeyIsOneCallOfItsScript() {
        teachScripts();
        admin.configResetStat();

        leaseAll();

        assertThat(redis.calls())
                .as("one of the first answers has the clock")
                .containsOnly(
                        Map.entry("evalsha", 100L),
                        Map.entry("mget", 100L),
                        Map.entry("set", 100L),
                        Map.entry("time", 1L));
    }

    @Test
    void forgottenScriptsAreSentOnceAndCostOneMoreRoundTrip() {
        leaseAll();
        publishAll();
        for (Supplier<Map<String, Boolean>> change : List.<Supplier<Map<String, Boolean>>>of(
                this::failAll, () -> on(store).abandonAll(leases))) {
            admin.scriptFlush();
            admin.configResetStat();
            assertThat(roundTrips(change, false)).isEqualTo(2);
            assertThat(redis.calls()).containsEntry("eval", 1L).containsEntry("evalsha", 199L);
        }
    }

    @Test
    void lostAnswersAreRequestedAgainUnlessTheyGrantLeases() {
        teachScripts();
        connections.losing().set(true);
        assertThatThrownBy(this::leaseAll).isInstanceOf(StoreException.class);
        assertThat(leaseAll().values()).containsOnly(new LeaseAttempt.Granted(0));
        connections.losing().set(true);
        assertThat(store.shared().renew(leases, LONG)).isEmpty();
        connections.losing().set(true);
        assertThat(publishAll().values()).containsOnly(true);
        connections.losing().set(true);
        assertThat(on(store).readAll(keys())).hasSize(MANY).doesNotContainValue(null);
        connections.losing().set(true);
        assertThat(invalidateAll().values()).hasSize(MANY).containsOnly(true);
        assertThat(connections.losing()).isFalse();
    }

    @Test
    void anExtensionOfWhichTheAnswerWasLostIsExtended() {
        LeaseToken seen = LeaseToken.next();
        HeldLease lease = leases.get(0);
        on(store).put(lease.key(), seen.toBytes(), LONG);
        on(store).lease(lease.key(), lease.token(), seen, LONG);
        connections.losing().set(true);

        assertThat(on(store)
                        .extend(lease.key(), lease.token(), seen, lease.token().toBytes(), LONG))
                .isTrue();

        assertThat(connections.losing()).isFalse();
        assertThat(on(store).read(lease.key())).isEqualTo(lease.token().toBytes());
    }

    @Test
    void somethingForeignIsNothing() {
        RedisKeys names = new RedisKeys("");
        admin.rpush(names.value(keys().get(1)), new byte[] {1});
        on(store).put(keys().get(2), new byte[] {2}, LONG);

        Map<String, byte[]> entries = on(store).readAll(keys().subList(0, 3));

        assertThat(entries).hasSize(3);
        assertThat(entries.get(keys().get(1))).isNull();
        assertThat(entries.get(keys().get(2))).containsExactly(2);
    }

    @Test
    void theClockIsLearntFromTheLeases() {
        leaseAll();
        admin.configResetStat();

        assertThat(store.shared().currentTimeMillis()).isPositive();

        assertThat(redis.calls()).isEmpty();
    }

    @Test
    void refusalOfAllKeysIsAFailureThatNamesTheOperation() {
        leaseAll();
        admin.configSet("maxmemory", "1");
        try {
            assertThatThrownBy(this::publishAll)
                    .isInstanceOf(StoreException.class)
                    .hasMessageStartingWith("could not publish 100 keys: OOM");
        } finally {
            admin.configSet("maxmemory", "0");
        }
        assertThat(publishAll().values()).containsOnly(true);
    }

    /** A connection that died while idle, as a firewall or the server's timeout leaves it. */
    @Test
    void onlyRequestsForLeasesFailWhenAllIdleConnectionsWereKilled() {
        try (RedisStore pooled = RedisStore.connect(redis.uri(), SharedRedis.PATIENT)) {
            LostConnectionsTest.killIdle(admin);
            assertThat(on(pooled).readAll(keys())).hasSize(MANY);
            LostConnectionsTest.killIdle(admin);
            List<LeaseRequest> requests = List.of(request(0), request(1));
            assertThatThrownBy(() -> on(pooled).leaseAll(requests, LONG)).isInstanceOf(StoreException.class);
            assertThat(on(pooled).leaseAll(requests, LONG)).hasSize(2);
            LostConnectionsTest.killIdle(admin);
            assertThat(on(pooled).abandonAll(leases.subList(0, 2)).values()).containsOnly(true);
        }
    }

    private LeaseRequest request(int number) {
        return new LeaseRequest(leases.get(number).key(), leases.get(number).token(), null);
    }

    private void teachScripts() {
        LeaseToken token = LeaseToken.next();
        on(store).lease("known", token, null, LONG);
        store.shared().renew(List.of(new HeldLease("known", token)), LONG);
        on(store).publish("known", token, token.toBytes(), LONG);
        on(store).abandon("known", token);
        on(store).fail("known", token, FAILED);
        on(store).invalidate("known");
    }

    private <A> int roundTrips(Supplier<Map<String, A>> call, A expected) {
        return connections.during(() -> assertThat(call.get())
                .hasSize(MANY)
                .allSatisfy((key, answer) -> assertThat(answer).isEqualTo(expected)));
    }
}
