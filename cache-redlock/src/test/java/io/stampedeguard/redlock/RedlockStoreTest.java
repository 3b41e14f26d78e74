package io.stampedeguard.redlock;

import static io.stampedeguard.testkit.KeyCalls.notifications;
import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseNotifications;
import io.stampedeguard.internal.spi.LeaseNotifications.Notice;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.LogLines;
import io.stampedeguard.redis.PatientTime;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Leases that are also held by a majority of five servers, some of which die, stall, or lose their data. */
@Order(1)
@Execution(ExecutionMode.CONCURRENT) // each test has its own servers, and waits for them
class RedlockStoreTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final String KEY = "redlock:1";

    @AutoClose
    private final LockServerProcesses servers = new LockServerProcesses(5);

    private final LeaseToken token = LeaseToken.next();

    @Test
    void deadMinorityIsDoneWithout() {
        servers.server(3).kill();
        servers.server(4).kill();
        RedlockStore store = servers.leases();

        assertThat(ask(store, token)).isInstanceOf(LeaseAttempt.Granted.class);
        assertThat(servers.locks(KEY, 3)).containsOnly(token);
        assertThat(ask(servers.leases(), LeaseToken.next())).isInstanceOf(LeaseAttempt.Held.class);
        assertThat(store.shared().renew(List.of(new HeldLease(KEY, token)), LONG))
                .isEmpty();
        assertThat(on(store).publish(KEY, token, token.toBytes(), LONG)).isTrue();

        assertThat(on(store).read(KEY)).isEqualTo(token.toBytes());
        assertThat(servers.locks(KEY, 3)).containsOnlyNulls();
    }

    @Test
    void stalledMinorityCostsOnePatienceAndIsAskedAgainOnceResumed() {
        PatientTime time = new PatientTime(Duration.ZERO);
        RedlockStore store = servers.leases(servers.plain(""), time, LockServerProcesses.PATIENCE);
        servers.server(3).pause();
        servers.server(4).pause();

        for (String key : List.of(KEY, "redlock:2", "redlock:3")) {
            assertThat(on(store).lease(key, token, null, LONG)).isInstanceOf(LeaseAttempt.Granted.class);
            assertThat(store.shared().renew(List.of(new HeldLease(key, token)), LONG))
                    .isEmpty();
            assertThat(on(store).publish(key, token, token.toBytes(), LONG)).isTrue();
        }
        assertThat(time.waitsInVain()).isEqualTo(1);

        servers.server(3).resume();
        servers.server(4).resume();
        Fleet.until(() -> {
            LeaseToken another = LeaseToken.next();
            on(store).lease("redlock:4", another, null, LONG);
            List<LeaseToken> locks = servers.locks("redlock:4", 5);
            on(store).abandon("redlock:4", another);
            return Collections.frequency(locks, another) == 5;
        });
        for (String key : List.of(KEY, "redlock:2", "redlock:3")) {
            Fleet.until(() -> servers.leftBehind(key) == 0);
        }
    }

    @Test
    void leaseThatTheStoreForgotIsGrantedTwiceWithoutLockServers() {
        RedisStore plain = servers.plain("");
        assertThat(ask(plain, token)).isInstanceOf(LeaseAttempt.Granted.class);

        servers.forgetLeaseOnTheStore(KEY);

        assertThat(ask(plain, LeaseToken.next())).isInstanceOf(LeaseAttempt.Granted.class);
    }

    @Test
    void forgottenLeaseIsHeldByTheLockServersUntilItEnds() {
        RedlockStore holders = servers.leases();
        RedlockStore others = servers.leases();
        ask(holders, token);
        servers.forgetLeaseOnTheStore(KEY);

        LeaseAttempt.Held held = (LeaseAttempt.Held) ask(others, LeaseToken.next());

        assertThat(held.holder()).as("one whose notices might be old").isNull();
        assertThat(held.remaining()).isBetween(Duration.ofSeconds(1), LONG);
        assertThat(servers.lease(servers.values(), KEY)).isNull();
        assertThat(servers.locks(KEY, 5)).containsOnly(token);
        assertThat(on(holders).publish(KEY, token, token.toBytes(), LONG))
                .as("what the store forgot is fenced")
                .isFalse();
        assertThat(ask(others, LeaseToken.next())).isInstanceOf(LeaseAttempt.Granted.class);
    }

    /** Otherwise all waiting processes would ask at once, be refused, and so wake each other endlessly. */
    @Test
    void whoIsRefusedByTheLockServersTellsNobody() {
        RedlockStore store = servers.leases();
        List<Notice> heard = new CopyOnWriteArrayList<>();
        CountDownLatch listening = new CountDownLatch(1);
        Watch watch = notifications(store).watch(KEY, new LeaseNotifications.Listener() {
            @Override
            public void listening() {
                listening.countDown();
            }

            @Override
            public void onNotice(Notice notice) {
                heard.add(notice);
            }
        });
        Fleet.until(() -> listening.getCount() == 0);
        ask(store, token);
        servers.forgetLeaseOnTheStore(KEY);
        assertThat(ask(store, LeaseToken.next())).isInstanceOf(LeaseAttempt.Held.class);
        on(store).publish(KEY, token, token.toBytes(), LONG);
        LeaseToken next = LeaseToken.next();
        ask(store, next);
        assertThat(ask(store, LeaseToken.next())).isInstanceOf(LeaseAttempt.Held.class);
        on(store).publish(KEY, next, next.toBytes(), LONG);

        Fleet.until(() -> !heard.isEmpty());
        assertThat(((Notice.Published) heard.get(0)).token()).isEqualTo(next);
        watch.close();
    }

    /** 100 s minus 1 % and 2 ms. */
    @ParameterizedTest
    @CsvSource({"98997, true", "98998, false", "200000, false"})
    void leaseIsGrantedOnlyIfSomeOfItsLifeIsLeft(long elapsedMillis, boolean granted) {
        PatientTime time = new PatientTime(Duration.ofMillis(elapsedMillis));
        RedlockStore store = servers.leases(servers.plain(""), time, LockServerProcesses.PATIENCE);

        LeaseAttempt answer = on(store).lease(KEY, token, null, Duration.ofSeconds(100));

        assertThat(answer instanceof LeaseAttempt.Granted).isEqualTo(granted);
        assertThat(answer instanceof LeaseAttempt.Held).isEqualTo(!granted);
        assertThat(servers.leftBehind(KEY)).isEqualTo(granted ? 6 : 0);
    }

    @Test
    void whoGetsNoMajorityGivesBackWhatItGotAndNothingElse() {
        List<RedisStore> each = servers.lockStores(LockServerProcesses.TIMEOUT);
        LeaseToken two = LeaseToken.next();
        LeaseToken one = LeaseToken.next();
        on(each.get(0)).lease(KEY, two, null, LONG);
        on(each.get(1)).lease(KEY, two, null, LONG);
        on(each.get(2)).lease(KEY, one, null, LONG.dividedBy(2));
        RedlockStore store = servers.leases();

        LeaseAttempt.Held held = (LeaseAttempt.Held) ask(store, token);

        assertThat(held.remaining()).isGreaterThan(LONG.dividedBy(2));
        assertThat(servers.locks(KEY, 5)).containsExactly(two, two, one, null, null);
        assertThat(servers.lease(servers.values(), KEY)).isNull();
        on(each.get(2)).abandon(KEY, one);
        assertThat(ask(store, token)).isInstanceOf(LeaseAttempt.Granted.class);
    }

    @Test
    void answerThatComesTooLateIsTakenBack() {
        RedlockStore store = servers.leases();
        servers.resetCounts();
        servers.server(0).pause();
        assertThat(ask(store, token)).isInstanceOf(LeaseAttempt.Granted.class);

        servers.server(0).resume();

        Fleet.until(() -> servers.scriptsLoaded(servers.server(0)) == 2); // the lock and its release
        assertThat(servers.locks(KEY, 5)).containsExactly(null, token, token, token, token);
    }

    @Test
    void whatTheStoreRefusesIsAskedOfNoLockServer() {
        RedlockStore store = servers.leases();
        ask(store, token);
        on(store).lease("redlock:2", token, null, LONG);
        on(store).publish("redlock:2", token, token.toBytes(), LONG);
        on(store).lease("redlock:3", token, null, LONG);
        on(store).fail("redlock:3", token, new LeaseEnd.Fail(new byte[1], 1, LONG, LONG));
        for (int server = 0; server < 5; server++) {
            servers.server(server).kill();
        }

        assertThat(((LeaseAttempt.Held) ask(store, LeaseToken.next())).holder()).isEqualTo(token);
        assertThat(on(store).lease("redlock:2", LeaseToken.next(), null, LONG)).isInstanceOf(LeaseAttempt.Found.class);
        assertThat(on(store).lease("redlock:3", LeaseToken.next(), null, LONG)).isInstanceOf(LeaseAttempt.Failed.class);
    }

    @Test
    void withoutAMajorityTheStoreAloneDecidesAndThatIsOneWarning() {
        killMajority();
        RedlockStore store = servers.leases();
        LogLines log = LogLines.of(() -> {
            assertThat(ask(store, token)).isInstanceOf(LeaseAttempt.Granted.class);
            assertThat(store.shared().renew(List.of(new HeldLease(KEY, token)), LONG.multipliedBy(10)))
                    .isEmpty();
        });

        assertThat(log.lines())
                .filteredOn(line -> line.contains("Only 2 of 5 lock servers answer"))
                .hasSize(1);
        assertThat(servers.millisLeft(servers.values(), KEY)).isGreaterThan(LONG.toMillis());
        assertThat(((LeaseAttempt.Held) ask(servers.leases(), LeaseToken.next())).holder())
                .isEqualTo(token);
        assertThat(on(store).publish(KEY, token, token.toBytes(), LONG)).isTrue();
    }

    @Test
    void withoutAMajorityAHolderThatIsKnownIsWaitedFor() {
        ask(servers.leases(), token);
        killMajority();
        servers.forgetLeaseOnTheStore(KEY);

        assertThat(ask(servers.leases(), LeaseToken.next())).isInstanceOf(LeaseAttempt.Held.class);
    }

    @Test
    void lockIsLostWithItsMajority() {
        RedlockStore store = servers.leases();
        HeldLease lease = new HeldLease(KEY, token);
        ask(store, token);

        servers.delete(servers.server(0), KEY);
        servers.delete(servers.server(1), KEY);
        assertThat(store.shared().renew(List.of(lease), LONG)).isEmpty();
        servers.delete(servers.server(2), KEY);

        assertThat(store.shared().renew(List.of(lease), LONG)).containsExactly(lease);
    }

    @Test
    void leaseIsLostWithTheStoresThoughTheLocksAreThere() {
        RedlockStore store = servers.leases();
        HeldLease lease = new HeldLease(KEY, token);
        HeldLease other = new HeldLease("redlock:2", token);
        ask(store, token);
        on(store).lease("redlock:2", token, null, LONG);
        servers.forgetLeaseOnTheStore(KEY);

        assertThat(store.shared().renew(List.of(lease, other), LONG)).containsExactly(lease);
    }

    @Test
    void locksAreRenewedWhileTheStoreDoesNotAnswer() {
        RedlockStore store = servers.leases();
        ask(store, token);
        servers.values().kill();

        assertThatThrownBy(() -> store.shared().renew(List.of(new HeldLease(KEY, token)), LONG.multipliedBy(10)))
                .isInstanceOf(StoreException.class);

        for (int server = 0; server < 5; server++) {
            assertThat(servers.millisLeft(servers.server(server), KEY)).isGreaterThan(LONG.toMillis());
        }
    }

    @Test
    void ofManyLeasesThoseAreGrantedThatHaveAMajority() {
        RedlockStore others = servers.leases();
        List<LeaseRequest> requests = requests("redlock:1", "redlock:2", "redlock:3", "redlock:4");
        LeaseToken onStore = LeaseToken.next();
        on(others).lease("redlock:2", onStore, null, LONG);
        LeaseToken onLocksOnly = LeaseToken.next();
        on(others).lease("redlock:3", onLocksOnly, null, LONG);
        servers.forgetLeaseOnTheStore("redlock:3");

        Map<String, LeaseAttempt> answers = on(servers.leases()).leaseAll(requests, LONG);

        assertThat(answers)
                .containsEntry("redlock:1", new LeaseAttempt.Granted(0))
                .containsEntry("redlock:4", new LeaseAttempt.Granted(0));
        assertThat(((LeaseAttempt.Held) answers.get("redlock:2")).holder()).isEqualTo(onStore);
        assertThat(((LeaseAttempt.Held) answers.get("redlock:3")).holder()).isNull();
        assertThat(servers.locks("redlock:1", 5)).containsOnly(requests.get(0).token());
        assertThat(servers.locks("redlock:2", 5)).containsOnly(onStore);
        assertThat(servers.locks("redlock:3", 5)).containsOnly(onLocksOnly);
        assertThat(servers.leftBehind("redlock:3"))
                .as("given back on the store")
                .isEqualTo(5);
    }

    @Test
    void onlyGrantedLeasesAreRequestedFromEachServerAtOnce() {
        RedlockStore store = servers.leases();
        on(store).lease("redlock:held", LeaseToken.next(), null, LONG);
        servers.resetCounts();

        on(store).leaseAll(requests("redlock:1", "redlock:2", "redlock:held"), LONG);

        for (int server = 0; server < 5; server++) {
            assertThat(servers.scriptsCalled(servers.server(server))).isEqualTo(2);
        }
    }

    @Test
    void locksOfManyLeasesAreGivenBackWithThem() {
        RedlockStore store = servers.leases();
        List<String> keys = List.of("redlock:1", "redlock:2", "redlock:3");
        for (Consumer<List<HeldLease>> end : List.<Consumer<List<HeldLease>>>of(
                leases -> on(store)
                        .endAll(
                                leases,
                                lease -> new LeaseEnd.Publish(lease.token().toBytes(), LONG)),
                leases -> on(store).abandonAll(leases),
                leases -> on(store).endAll(leases, lease -> new LeaseEnd.Fail(new byte[0], 1, LONG, LONG)))) {
            keys.forEach(on(store)::invalidate);
            List<LeaseRequest> requests = requests(keys.toArray(new String[0]));
            assertThat(on(store).leaseAll(requests, LONG).values()).containsOnly(new LeaseAttempt.Granted(0));

            end.accept(requests.stream()
                    .map(request -> new HeldLease(request.key(), request.token()))
                    .toList());

            keys.forEach(key -> assertThat(servers.locks(key, 5)).containsOnlyNulls());
        }
    }

    @Test
    void withoutAMajorityTheStoreAloneDecidesAboutManyLeases() {
        killMajority();
        RedlockStore store = servers.leases();

        assertThat(on(store).leaseAll(requests("redlock:1", "redlock:2"), LONG).values())
                .containsOnly(new LeaseAttempt.Granted(0));
        assertThat(on(servers.leases())
                        .leaseAll(requests("redlock:1", "redlock:2"), LONG)
                        .values())
                .allMatch(LeaseAttempt.Held.class::isInstance);
    }

    private static List<LeaseRequest> requests(String... keys) {
        return Arrays.stream(keys)
                .map(key -> new LeaseRequest(key, LeaseToken.next(), null))
                .toList();
    }

    @Test
    void changingAnEntryEndsItsLocksAndOutdatesItsRunningLoad() {
        RedlockStore store = servers.leases();
        List<Consumer<CacheStore>> changes = List.of(
                changed -> on(changed).invalidate(KEY),
                changed -> on(changed).expire(KEY, 0, new byte[1]),
                changed -> on(changed).put(KEY, token.toBytes(), LONG));
        for (Consumer<CacheStore> change : changes) {
            LeaseToken inFlight = LeaseToken.next();
            assertThat(ask(store, inFlight)).isInstanceOf(LeaseAttempt.Granted.class);

            change.accept(servers.leases());

            assertThat(servers.leftBehind(KEY)).isZero();
            assertThat(on(store).publish(KEY, inFlight, inFlight.toBytes(), LONG))
                    .isFalse();
        }
    }

    @Test
    void holderThatWasCutOffIsSucceededAndFenced() {
        RedlockStore holders =
                servers.leases(servers.plain(""), new PatientTime(Duration.ZERO), LockServerProcesses.PATIENCE);
        assertThat(on(holders).lease(KEY, token, null, Duration.ofSeconds(1))).isInstanceOf(LeaseAttempt.Granted.class);
        RedlockStore others = servers.leases();
        LeaseToken next = LeaseToken.next();

        Fleet.until(() -> ask(others, next) instanceof LeaseAttempt.Granted); // the holder renews nothing

        assertThat(holders.shared().renew(List.of(new HeldLease(KEY, token)), LONG))
                .hasSize(1);
        assertThat(on(holders).publish(KEY, token, token.toBytes(), LONG)).isFalse();
        assertThat(servers.locks(KEY, 5).stream().filter(next::equals).count()).isGreaterThanOrEqualTo(3);
        assertThat(on(others).publish(KEY, next, next.toBytes(), LONG)).isTrue();
    }

    @Test
    void lockServersWithEntriesUnderEqualNamesFailAndSaySo() {
        servers.lockStores(LockServerProcesses.TIMEOUT)
                .forEach(entries -> on(entries).put(KEY, LeaseToken.next().toBytes(), LONG));
        RedlockStore store = servers.leases();

        LogLines log = LogLines.of(() -> ask(store, token));

        assertThat(log.lines())
                .filteredOn(line -> line.contains("use a keyPrefix of their own for the lock servers"))
                .hasSize(5);
    }

    private void killMajority() {
        for (int server = 2; server < 5; server++) {
            servers.server(server).kill();
        }
    }

    private static LeaseAttempt ask(CacheStore store, LeaseToken token) {
        return on(store).lease(KEY, token, null, LONG);
    }
}
