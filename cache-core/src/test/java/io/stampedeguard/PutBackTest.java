package io.stampedeguard;

import static io.stampedeguard.FormOfGet.KEY;
import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.LeaseOutcome;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** After a restart of the store without its data, processes put back what they have copies of, unless it was changed. */
final class PutBackTest {
    private static final Duration SOFT_TTL = ofSeconds(60);
    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(SOFT_TTL)
            .hardTtl(ofSeconds(600))
            .jitter(0)
            .earlyRefresh(0)
            .build();

    /** Entries expire before an outage has lasted too long for what is known of them. */
    private static final CachePolicy SHORT =
            POLICY.toBuilder().softTtl(ofSeconds(10)).hardTtl(ofSeconds(20)).build();

    private Fleet fleet = fleet(POLICY);

    private static Fleet fleet(CachePolicy policy) {
        return new Fleet(
                3, policy, NearCacheOptions.builder().maximumSize(1_000).build());
    }

    @AfterEach
    void close() {
        fleet.close();
    }

    private void with(CachePolicy policy) {
        fleet.close();
        fleet = fleet(policy);
    }

    private String get(int process) {
        return fleet.cache(process).get(KEY, fleet.origin()::read);
    }

    private long putBacks() {
        return fleet.listener().count(LeaseOutcome.PUT_BACK);
    }

    /** From then on, a key without a copy is read by the request for its lease. */
    private void missOften() {
        for (int i = 0; i < 8; i++) {
            fleet.cache(0).get("missed" + i, fleet.origin()::read);
        }
    }

    /** The store restarts; the processes are not told of its changes yet. */
    private void restart() {
        fleet.store().kill().restart();
    }

    @ParameterizedTest
    @EnumSource
    void whatAProcessHoldsIsPutBackWithoutALoad(FormOfGet form) throws Throwable {
        form.ask(fleet.cache(0), fleet.origin());
        fleet.origin().write("two");
        restart();

        assertThat(form.ask(fleet.cache(0), fleet.origin())).isEqualTo("one");

        assertThat(get(1)).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(putBacks()).isPositive();
    }

    @ParameterizedTest
    @EnumSource
    void whatAProcessHoldsIsPutBackOnceItIsToldOfChangesAgain(FormOfGet form) throws Throwable {
        form.ask(fleet.cache(0), fleet.origin());
        restart();
        fleet.store().mendChanges();

        assertThat(form.ask(fleet.cache(0), fleet.origin())).isEqualTo("one");

        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(putBacks()).isPositive();
    }

    @ParameterizedTest
    @EnumSource
    void whatNoProcessHoldsIsLoadedOnce(FormOfGet form) throws Throwable {
        restart();
        fleet.store().mendChanges();

        for (int process = 0; process < 3; process++) {
            assertThat(form.ask(fleet.cache(process), fleet.origin())).isEqualTo("one");
        }

        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(putBacks()).isZero();
    }

    @Test
    void aCacheThatMostlyMissesPutsBackToo() {
        get(0);
        restart();
        missOften();
        fleet.origin().write("two");

        assertThat(get(0)).isEqualTo("one");

        assertThat(putBacks()).isOne();
        assertThat(fleet.origin().reads()).isEqualTo(9);
    }

    @Test
    void aPrefetchPutsBackToo() {
        fleet.cache(0).get("a", fleet.origin()::read);
        restart();

        fleet.cache(0).prefetch(List.of("a", "b"), fleet.bulkOrigin());

        assertThat(fleet.bulkOrigin().calls()).containsExactly(List.of("b"));
        assertThat(putBacks()).isOne();
    }

    @Test
    void whatIsPutBackExpiresAsItWouldHave() {
        get(0);
        fleet.advance(ofSeconds(20));
        restart();
        get(0);
        fleet.store().mendChanges();
        fleet.origin().write("two");

        fleet.advance(SOFT_TTL.minusSeconds(20).minusMillis(1));
        assertThat(get(1)).isEqualTo("one");
        fleet.advance(Duration.ofMillis(1));
        until(() -> get(1).equals("two"));
    }

    @Test
    void afterItIsPutBackItIsAHitOfTheNearCacheAgain() {
        get(0);
        restart();
        fleet.store().mendChanges();
        get(0);
        int reads = fleet.store().count(Call.READ);

        assertThat(get(0)).isEqualTo("one");

        assertThat(fleet.store().count(Call.READ)).isEqualTo(reads);
    }

    @Test
    void whatWasLoadedDuringTheOutageIsPutBack() {
        with(SHORT);
        get(0);
        fleet.store().kill();
        fleet.advance(SHORT.hardTtl());
        fleet.origin().write("two");
        assertThat(get(0)).isEqualTo("two");
        fleet.store().restart();
        fleet.origin().write("three");

        assertThat(get(0)).isEqualTo("two");

        assertThat(get(1)).isEqualTo("two");
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @Test
    void thatAKeyIsAbsentFromTheOriginIsPutBackToo() {
        fleet.origin().write(null);
        assertThat(get(0)).isNull();
        restart();

        assertThat(get(0)).isNull();

        assertThat(get(1)).isNull();
        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(putBacks()).isOne();
    }

    @Test
    void aStaleCopyIsNotPutBack() {
        with(SHORT);
        get(0);
        fleet.origin().write("two");
        fleet.store().kill();
        fleet.advance(SHORT.softTtl());
        fleet.store().restart();

        assertThat(get(0)).isEqualTo("two");
    }

    @Test
    void aCopyBeyondTheLimitForOutagesIsNotPutBack() {
        with(POLICY.toBuilder().maxStalenessWhenDisconnected(ZERO).build());
        get(0);
        fleet.origin().write("two");
        fleet.store().kill();
        fleet.advance(ofSeconds(3));
        fleet.store().restart();

        assertThat(get(0)).isEqualTo("two");
    }

    @Test
    void aCopyOfAnEarlierConnectionIsNotPutBack() {
        get(0);
        fleet.origin().write("two");
        fleet.store().cutChanges().mendChanges();
        restart();

        assertThat(get(0)).isEqualTo("two");
    }

    @Test
    void aCopyOfAProcessThatWasCutOffBeforeIsNotPutBack() {
        get(0);
        fleet.origin().write("two");
        fleet.store().cutChanges();
        restart();
        fleet.store().mendChanges();

        assertThat(get(0)).isEqualTo("two");
    }

    /** The first process has lost its connection for changes, gets an answer of the store, and misses a change; then a restart. */
    private void restartAfterAnAnswerAndAMissedChange() {
        get(0);
        fleet.store().kill().heal(); // its connection for changes was reset
        fleet.advance(ofSeconds(5));
        fleet.cache(0).getIfPresent(KEY);
        fleet.origin().write("two");
        fleet.cache(1).invalidate(KEY);
        fleet.advance(ofSeconds(1));
        restart();
    }

    @Test
    void aCopyOfAProcessThatTheStoreHasAnsweredSinceThenIsNotPutBack() {
        restartAfterAnAnswerAndAMissedChange();

        assertThat(get(0)).isEqualTo("two");
        assertThat(putBacks()).isZero();
    }

    @Test
    void theAnswerToARequestForALeaseCountsLikeThatToAReadIfItIsOne() {
        missOften();
        get(0);
        fleet.store().kill().heal(); // its connection for changes was reset
        fleet.advance(ofSeconds(5));
        int reads = fleet.store().count(Call.READ);
        fleet.cache(0).get("another", fleet.origin()::read);
        assertThat(fleet.store().count(Call.READ)).isEqualTo(reads);
        fleet.origin().write("two");
        fleet.cache(1).invalidate(KEY);
        fleet.advance(ofSeconds(1));
        restart();

        assertThat(get(0)).isEqualTo("two");
        assertThat(putBacks()).isZero();
    }

    @Test
    void anAnswerBeforeTheRestartCountsThoughThePutBackIsDelayed() {
        with(POLICY.toBuilder().leaseTtl(ofSeconds(30)).build());
        restartAfterAnAnswerAndAMissedChange();
        fleet.store().before(Call.RESTORE_ALL, () -> fleet.advance(ofSeconds(10)));

        assertThat(get(0)).isEqualTo("two");
        assertThat(fleet.store().count(Call.RESTORE_ALL)).isOne();
        assertThat(putBacks()).isZero();
    }

    @Test
    void aCopyIsNotPutBackIfItsConnectionEndedLongAgo() {
        with(POLICY.toBuilder().softTtl(ofSeconds(120)).build());
        get(0);
        fleet.store().kill().heal(); // its connection for changes was reset, and it cannot open another one
        fleet.origin().write("two");
        fleet.cache(1).invalidate(KEY);
        fleet.advance(ofSeconds(60));
        restart();

        assertThat(get(0)).isEqualTo("two");
        assertThat(putBacks()).isZero();
    }

    @Test
    void anAnswerOfTheRestartedStoreIsNoReasonNotToPutBack() {
        get(0);
        fleet.store().kill();
        fleet.advance(ofSeconds(5));
        fleet.store().restart();
        fleet.cache(0).get("another", fleet.origin()::read);
        fleet.advance(ofSeconds(5));

        assertThat(get(0)).isEqualTo("one");
        assertThat(putBacks()).isOne();
    }

    @Test
    void anEntryThatIsGoneWithoutARestartIsLoaded() {
        get(0);
        fleet.origin().write("two");
        fleet.store().kill().heal().mendChanges(); // the connections were reset
        fleet.store().loseChanges();
        fleet.store().invalidate("fleet:" + KEY); // as an eviction, unnoticed

        assertThat(get(0)).isEqualTo("two");
        assertThat(putBacks()).isZero();
    }

    @Test
    void anEntryThatIsGoneIsLoadedWhileItIsNotKnownWhetherTheStoreHasRestarted() {
        get(0);
        fleet.origin().write("two");
        fleet.store().kill().heal(); // the connections were reset, and are not open again
        fleet.store().invalidate("fleet:" + KEY);

        assertThat(get(0)).isEqualTo("two");
        assertThat(putBacks()).isZero();
    }

    @Test
    void longAfterTheRestartEntriesAreLoaded() {
        get(0);
        fleet.origin().write("two");
        restart();
        fleet.advance(ofSeconds(30));

        assertThat(get(0)).isEqualTo("two");
        assertThat(putBacks()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aChangeAfterTheRestartIsHonouredThoughTheHolderHasNotHeardOfIt(FormOfGet form) throws Throwable {
        get(0);
        fleet.origin().write("two");
        restart();
        fleet.cache(1).invalidate(KEY);

        assertThat(form.ask(fleet.cache(0), fleet.origin())).isEqualTo("two");

        assertThat(get(2)).isEqualTo("two");
    }

    @Test
    void anExpiryAfterTheRestartIsHonoured() {
        get(0);
        fleet.origin().write("two");
        restart();
        fleet.cache(1).expire(KEY);

        assertThat(get(0)).isEqualTo("two");
    }

    @Test
    void aChangeIsHonouredThoughTheLoadAfterItHasStoredNothing() {
        get(0);
        fleet.origin().write("two");
        restart();
        fleet.cache(1).invalidate(KEY);
        LeaseToken token = LeaseToken.next();
        fleet.store().lease("fleet:" + KEY, token, null, ofSeconds(10));
        fleet.store().abandon("fleet:" + KEY, token);

        assertThat(get(0)).isEqualTo("two");
    }

    @Test
    void aValueThatWasPutAfterTheRestartIsNotReplaced() {
        get(0);
        restart();
        fleet.cache(1).put(KEY, "two");

        assertThat(get(0)).isEqualTo("two");
    }

    @ParameterizedTest
    @EnumSource(names = {"LEASE", "READ"})
    void aChangeAfterTheReadOrTheLeaseFences(Call last) {
        get(0);
        fleet.origin().write("two");
        restart();
        fleet.store().after(last, () -> fleet.cache(1).invalidate(KEY));

        assertThat(get(0)).isEqualTo("two");

        assertThat(get(2)).isEqualTo("two");
    }

    @Test
    void aChangeRightBeforeTheEntryIsStoredFences() {
        get(0);
        fleet.origin().write("two");
        restart();
        fleet.store().before(Call.RESTORE_ALL, () -> fleet.cache(1).invalidate(KEY));

        assertThat(get(0)).isEqualTo("two");

        assertThat(get(2)).isEqualTo("two");
    }

    @Test
    void whatThisProcessHasChangedDuringTheOutageIsNotPutBack() {
        get(0);
        fleet.origin().write("two");
        fleet.store().kill();
        fleet.cache(0).invalidate(KEY);
        fleet.store().restart();

        assertThat(get(0)).isEqualTo("two");
        assertThat(putBacks()).isZero();
    }

    @Test
    void aLostAnswerDoesNotCostALoad() {
        get(0);
        restart();
        fleet.store().loseAnswers(Call.RESTORE_ALL);
        fleet.store().after(Call.RESTORE_ALL, () -> fleet.store().heal());

        assertThat(get(0)).isEqualTo("one");

        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(putBacks()).isOne();
    }

    @Test
    void withoutAnAnswerTheKeyIsLoaded() {
        get(0);
        restart();
        fleet.origin().write("two");
        fleet.store().refuse(Call.RESTORE_ALL);

        assertThat(get(0)).isEqualTo("two");

        assertThat(putBacks()).isZero();
    }

    @Test
    void ofManyKeysThoseThatAreHeldArePutBackTogetherAndTheOthersLoaded() throws Exception {
        fleet.getAll(0, "a", "b").result();
        fleet.getAll(1, "c").result();
        restart();

        Map<String, String> values = fleet.getAll(0, "a", "b", "d").result();

        assertThat(values).containsOnlyKeys("a", "b", "d");
        assertThat(fleet.bulkOrigin().calls()).hasSize(3);
        assertThat(fleet.store().count(Call.RESTORE_ALL)).isOne();
        assertThat(putBacks()).isEqualTo(2);
    }

    @Test
    void manyKeysArePutBackInPortions() throws Exception {
        String[] keys = IntStream.range(0, 150).mapToObj(i -> "k" + i).toArray(String[]::new);
        fleet.getAll(0, keys).result();
        restart();
        int leases = fleet.store().count(Call.LEASE_ALL);

        assertThat(fleet.getAll(0, keys).result()).containsOnlyKeys(keys);

        assertThat(fleet.bulkOrigin().calls()).hasSize(1);
        assertThat(fleet.store().count(Call.LEASE_ALL) - leases).isEqualTo(3);
        assertThat(fleet.store().count(Call.RESTORE_ALL)).isEqualTo(3);
        assertThat(putBacks()).isEqualTo(150);
    }

    @Test
    void afterAPortionWithoutAnAnswerTheRestIsLoaded() throws Exception {
        String[] keys = IntStream.range(0, 150).mapToObj(i -> "k" + i).toArray(String[]::new);
        fleet.getAll(0, keys).result();
        restart();
        fleet.store().after(Call.READ_ALL, () -> fleet.store().leaveUnanswered("fleet:k0"));

        assertThat(fleet.getAll(0, keys).result()).containsOnlyKeys(keys);

        assertThat(fleet.bulkOrigin().calls()).hasSize(2);
        assertThat(putBacks()).isEqualTo(63);
    }

    @Test
    void aStoreThatFallsSilentAfterTheReadIsAskedNoMoreOftenThanForALoad() {
        get(0);
        fleet.origin().write("two");
        restart();
        int leases = fleet.store().count(Call.LEASE);
        fleet.store().after(Call.READ, () -> fleet.store().refuse());

        assertThat(get(0)).isEqualTo("two");

        assertThat(fleet.store().count(Call.LEASE) - leases).isEqualTo(2);
    }

    @Test
    void afterARefusalLaterCallersJoinTheLoad() throws Exception {
        get(0);
        fleet.origin().write("two");
        restart();
        fleet.store().before(Call.RESTORE_ALL, () -> fleet.cache(1).invalidate(KEY));
        fleet.origin().close();
        Callers.Call<String> leader = fleet.callers().call(() -> get(0));
        until(() -> fleet.origin().running() == 1);

        int leases = fleet.store().count(Call.LEASE);
        Callers.Call<String> follower = fleet.callers().call(() -> get(0));
        until(() -> fleet.cache(0).explain(KEY).waiters() == 1);
        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("two");
        assertThat(follower.result()).isEqualTo("two");
        assertThat(fleet.store().count(Call.LEASE)).isEqualTo(leases);
    }

    @Test
    void aCallerThatComesWhileTheEntryIsStoredReadsIt() throws Exception {
        get(0);
        restart();
        CountDownLatch mayReturn = new CountDownLatch(1);
        fleet.store().after(Call.RESTORE_ALL, () -> await(mayReturn));
        Callers.Call<String> leader = fleet.callers().call(() -> get(0));
        until(() -> fleet.store().read("fleet:" + KEY) != null);
        fleet.origin().write("two");
        fleet.cache(1).invalidate(KEY); // the leader's answer is older than this

        Callers.Call<String> late = fleet.callers().call(() -> get(0));
        until(() -> fleet.cache(0).explain(KEY).waiters() == 1);
        mayReturn.countDown();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(late.result()).isEqualTo("two");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void concurrentCallersOfAllProcessesCauseNoLoad() throws Exception {
        for (int process = 0; process < 3; process++) {
            get(process);
        }
        restart();

        AtomicInteger number = new AtomicInteger();
        List<Callers.Call<String>> calls = fleet.callers().call(12, () -> get(number.getAndIncrement() % 3));
        for (Callers.Call<String> call : calls) {
            fleet.advanceUntil(call::isOver, Duration.ofMillis(10));
            assertThat(call.result()).isEqualTo("one");
        }

        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void whatAnotherProcessPutsBackAtTheSameTimeIsUsedWithoutAnotherRequest() {
        get(0);
        get(1);
        restart();
        fleet.store().after(Call.READ, () -> get(1));

        assertThat(get(0)).isEqualTo("one");

        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(fleet.listener().count(LeaseOutcome.FOUND)).isOne();
        assertThat(putBacks()).isOne();
    }

    @Test
    void aLeaseThatAnotherProcessHoldsIsWaitedForAtOnce() throws Exception {
        get(0);
        restart();
        LeaseToken token = LeaseToken.next();
        fleet.store().lease("fleet:" + KEY, token, null, ofSeconds(10));

        Callers.Call<String> waiting = fleet.callers().call(() -> get(0));
        until(() -> fleet.listener().count(LeaseOutcome.HELD) == 2);
        fleet.store().abandon("fleet:" + KEY, token);

        assertThat(waiting.result()).isEqualTo("one");
        assertThat(fleet.listener().count(LeaseOutcome.HELD)).isEqualTo(2);
    }

    @Test
    void noPermitIsNeeded() throws Exception {
        with(POLICY.toBuilder().maxConcurrentLoads(1).build());
        get(0);
        restart();
        fleet.origin().close();
        Callers.Call<String> loading = fleet.callers().call(() -> fleet.cache(0).get("other", fleet.origin()::read));
        until(() -> fleet.origin().running() == 1);

        assertThat(get(0)).isEqualTo("one");

        fleet.origin().open();
        assertThat(loading.result()).isEqualTo("one");
    }

    @Test
    void withoutANearCacheEntriesAreLoaded() {
        fleet.close();
        fleet = new Fleet(2, POLICY);
        get(0);
        fleet.origin().write("two");
        restart();

        assertThat(get(0)).isEqualTo("two");
    }

    @Test
    void theCallerIsAnsweredFromTheNearCache() {
        get(0);
        restart();
        get(0);

        assertThat(fleet.listener().events(AnswerSource.class)).containsExactly(AnswerSource.LOADED, AnswerSource.NEAR);
    }
}
