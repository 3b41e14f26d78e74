package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.Policies.exact;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.StoreFailureMode;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Changes that the store does not answer: they are queued, nothing older is served or stored here, and they are replayed. */
final class QueuedChangesTest {
    private static final CachePolicy POLICY =
            exact(ofSeconds(100), ofSeconds(200)).build();

    @AutoClose
    private final Fleet fleet = Fleet.near(2, POLICY);

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);

    private int queued() {
        return fleet.gauges(0).queuedChanges();
    }

    private String get() {
        return cache.get("k", fleet.origin()::read);
    }

    /** Stores "one", and invalidates it after a change of the row, while the store does not answer invalidations. */
    private void queueAnInvalidation() {
        get();
        fleet.store().refuse(Call.INVALIDATE);
        fleet.origin().write("two");
        cache.invalidate("k");
    }

    @Test
    void unansweredChangeIsQueuedAndItsCallerReturns() {
        fleet.store().refuse();

        cache.invalidate("a");
        cache.put("b", "v");
        cache.expire("c");

        assertThat(queued()).isEqualTo(3);
        assertThat(fleet.listener().amounts(EventType.QUEUED_CHANGES)).containsExactly(1L, 2L, 3L);
        assertThat(cache.faults(FaultSource.STORE)).as("no caller sees them").isEqualTo(3);
    }

    @ForEach
    void noFormOfGetReturnsWhatWasLoadedBeforeAQueuedInvalidation(FormOfGet form) throws Throwable {
        queueAnInvalidation();

        assertThat(form.ask(cache, fleet.origin()))
                .as("the store would still return the old value")
                .isEqualTo("two");
        assertThat(queued()).isEqualTo(1);

        fleet.store().heal();
        fleet.advance(ofSeconds(3)); // the near cache has the value for two seconds
        assertThat(form.ask(cache, fleet.origin())).isEqualTo("two");
        until(() -> queued() == 0);
        assertThat(fleet.cache(1).get("k", fleet.origin()::read)).isEqualTo("two");
    }

    @Test
    void replayBeforeAReadTakesOfTheTimeOfItsCaller() {
        queueAnInvalidation();
        fleet.store().heal().before(Call.INVALIDATE, () -> fleet.advance(ofSeconds(3)));
        int before = fleet.store().patiences().size();

        get();

        Duration left = POLICY.waitTimeout().minusSeconds(3);
        assertThat(fleet.store().patiences().stream().skip(before))
                .as("of the replay, the read, and the lease")
                .containsExactly(POLICY.waitTimeout(), left, left);
    }

    @Test
    void replayBeforeAChangeIsNotLimitedByTheTimeOfReaders() {
        queueAnInvalidation();
        fleet.store().heal();
        int before = fleet.store().patiences().size();

        cache.put("k", "three");

        assertThat(fleet.store().patiences().stream().skip(before))
                .as("of the replay")
                .containsExactly(fleet.store().patience());
        assertThat(queued()).isZero();
    }

    @Test
    void replayWithoutACallerIsNotLimitedByTheTimeOfReaders() {
        queueAnInvalidation();
        fleet.store().heal();
        int before = fleet.store().patiences().size();

        cache.close();

        assertThat(fleet.store().patiences().stream().skip(before))
                .as("of the replay")
                .containsExactly(fleet.store().patience());
    }

    @ForEach
    void noFormOfGetReturnsWhatWasLoadedBeforeAQueuedExpiry(FormOfGet form) throws Throwable {
        get();
        fleet.store().refuse(Call.EXPIRE);
        fleet.origin().write("two");

        cache.expire("k");

        assertThat(form.ask(cache, fleet.origin())).isEqualTo("two");
    }

    @Test
    void oldValueAnswersNeitherGetIfPresentNorAFailedLoad() {
        queueAnInvalidation();
        fleet.store().refuse();
        fleet.origin().fail(new IOException("origin is down"));

        assertThat(cache.getIfPresent("k")).isNull();
        assertThatThrownBy(this::get).isInstanceOf(LoadException.class);
    }

    @Test
    void changeIsReplayedBeforeTheFirstReadOfItsKey() {
        queueAnInvalidation();
        fleet.store().heal();
        List<Integer> replayed = new ArrayList<>();
        fleet.store().before(Call.READ, () -> replayed.add(fleet.store().done(Call.INVALIDATE)));

        get();

        assertThat(replayed).as("one was refused, one answered").containsExactly(2);
    }

    @Test
    void keysWithoutAQueuedChangeAreReadAsEver() {
        cache.put("other", "v");
        queueAnInvalidation();
        int replays = fleet.store().count(Call.INVALIDATE);

        assertThat(fleet.cache(1).get("other")).isEqualTo("v");
        assertThat(cache.getAll(List.of("other", "k"), fleet.bulkOrigin())).containsEntry("other", "v");
        assertThat(fleet.store().count(Call.INVALIDATE))
                .as("by the read of the other key none; for k, before read and lease")
                .isGreaterThan(replays);
    }

    @Test
    void loadThatBeganBeforeAQueuedInvalidationCannotPublish() throws Exception {
        Callers.Call<String> late = fleet.loading(0, "k");
        fleet.store().refuse(Call.INVALIDATE);
        fleet.origin().write("two");
        cache.invalidate("k");
        fleet.store().heal();
        fleet.origin().open();

        assertThat(late.result()).as("its caller came before").isEqualTo("one");
        assertThat(fleet.listener().count(EventType.LOAD_FENCED)).isOne();
        assertThat(on(fleet.store()).read("fleet:k")).isNull();
        assertThat(get()).isEqualTo("two");
    }

    @Test
    void earlierLoadDoesNotPublishAheadOfAQueuedInvalidation() throws Exception {
        Callers.Call<String> late = fleet.loading(0, "k");
        fleet.store().refuse(Call.INVALIDATE);
        fleet.origin().write("two");
        cache.invalidate("k");
        fleet.origin().open();

        assertThat(late.result()).isEqualTo("one");
        assertThat(fleet.store().count(Call.PUBLISH)).isZero();
        assertThat(get()).isEqualTo("two");
    }

    @Test
    void reloadInTheBackgroundThatBeganBeforeAQueuedInvalidationCannotPublish() {
        get();
        cache.expire("k");
        fleet.origin().close();
        assertThat(get()).isEqualTo("one");
        until(() -> fleet.origin().running() == 1);
        fleet.store().refuse(Call.INVALIDATE);
        fleet.origin().write("two");
        cache.invalidate("k");
        fleet.store().heal();
        fleet.origin().open();

        until(() -> fleet.listener().count(EventType.LOAD_FENCED) == 1);
        assertThat(get()).isEqualTo("two");
    }

    @Test
    void loadOfAnotherProcessIsNotWaitedForAfterAQueuedInvalidation() throws Exception {
        fleet.origin().close();
        fleet.get(1, "k");
        until(() -> fleet.origin().running() == 1);
        fleet.get(0, "k");
        until(() -> fleet.listener().count(EventType.LEASE_HELD) >= 1);
        fleet.store().refuse();
        fleet.origin().write("two");
        cache.invalidate("k");
        fleet.origin().close().countDown();

        assertThat(get()).as("loaded at once, without a lease").isEqualTo("two");
    }

    @ForEach
    void queuedPutAnswersItsProcessWithoutALoad(FormOfGet form) throws Throwable {
        get();
        fleet.store().refuse();
        cache.put("k", "put");

        assertThat(form.ask(cache, fleet.origin())).isEqualTo("put");
        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(fleet.listener().count(AnswerSource.NEAR_DEGRADED)).isPositive();
    }

    @Test
    void queuedPutIsReplayedAsARemoval() {
        get();
        fleet.store().refuse();
        cache.put("k", "put");
        fleet.origin().write("two");
        fleet.store().heal();

        assertThat(get()).isEqualTo("two");
        assertThat(fleet.cache(1).get("k", fleet.origin()::read)).isEqualTo("two");
        assertThat(fleet.store().count(Call.PUT)).as("the refused one").isOne();
    }

    @Test
    void queuedPutDoesNotBringBackWhatAnotherProcessHasRemovedSince() {
        fleet.store().refuse(Call.PUT);
        cache.put("k", "old");
        fleet.origin().write("new");
        fleet.cache(1).invalidate("k");
        fleet.store().heal();

        assertThat(get()).isEqualTo("new");
        assertThat(fleet.cache(1).get("k", fleet.origin()::read)).isEqualTo("new");
    }

    @Test
    void ofSeveralChangesOfAKeyTheLastDecides() {
        fleet.store().refuse();

        cache.put("k", "put");
        cache.invalidate("k");
        assertThat(get()).as("a removal ends what was put").isEqualTo("one");
        cache.put("k", "put again");
        assertThat(get()).isEqualTo("put again");
        cache.expire("k");
        assertThat(get()).as("a stale value is behind the loader").isEqualTo("one");
        assertThat(queued()).isEqualTo(1);
    }

    @Test
    void expiredQueuedPutComesBeforeAnException() {
        fleet.store().refuse();
        cache.put("k", "put");
        cache.expire("k");
        fleet.origin().fail(new IOException("origin is down"));

        assertThatThrownBy(() -> fleet.cache(1).get("k", fleet.origin()::read)).isInstanceOf(LoadException.class);
        fleet.store().exhaust();
        assertThat(get()).isEqualTo("put");
    }

    @Test
    void queuedPutAnswersNoLongerThanItsTtl() {
        fleet.store().refuse();
        cache.put("k", "put");

        fleet.advance(ofSeconds(200));

        assertThat(get()).isEqualTo("one");
    }

    @Test
    void removalAndExpiryInARowAreOneRemoval() {
        get();
        fleet.store().refuse(Call.INVALIDATE, Call.EXPIRE);
        fleet.origin().write("two");
        cache.expire("k");
        cache.invalidate("k");
        cache.expire("k");
        fleet.store().heal();

        assertThat(get()).isEqualTo("two");
        assertThat(fleet.listener().count(AnswerSource.STALE)).isZero();
    }

    @Test
    void changeAfterAQueuedOneIsSentBehindIt() {
        queueAnInvalidation();
        fleet.store().heal();
        fleet.store().before(Call.PUT, () -> assertThat(queued()).isZero());

        cache.put("k", "put");

        assertThat(fleet.cache(1).get("k", fleet.origin()::read)).isEqualTo("put");
        assertThat(queued()).isZero();
    }

    /** A caller that replays a queued expiry, until the gate is open. */
    private Callers.Call<String> replayOfAnExpiry(CountDownLatch gate) {
        get();
        fleet.store().refuse(Call.EXPIRE);
        cache.expire("k");
        fleet.store().heal();
        fleet.store().before(Call.EXPIRE, () -> Fleet.await(gate));
        Callers.Call<String> replays = fleet.get(0, "k");
        until(() -> fleet.store().count(Call.EXPIRE) == 2);
        return replays;
    }

    @Test
    void changeDuringTheReplayOfAnotherWaitsForIt() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        Callers.Call<String> replays = replayOfAnExpiry(gate);

        Callers.Call<String> puts = fleet.callers().call(() -> {
            cache.put("k", "put");
            return "done";
        });
        fleet.time().awaitWaiting(1);
        assertThat(fleet.store().count(Call.PUT)).isZero();
        gate.countDown();

        assertThat(puts.result()).isEqualTo("done");
        replays.result();
        assertThat(fleet.cache(1).get("k", fleet.origin()::read)).isEqualTo("put");
    }

    @Test
    void expiryDuringTheReplayOfAnotherIsSentAsWell() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        Callers.Call<String> replays = replayOfAnExpiry(gate);

        Callers.Call<String> expires = fleet.callers().call(() -> {
            cache.expire("k");
            return "queued";
        });
        fleet.time().awaitWaiting(1);
        fleet.advance(POLICY.waitTimeout());
        assertThat(expires.result()).isEqualTo("queued");
        gate.countDown();

        replays.result();
        assertThat(fleet.store().count(Call.EXPIRE)).isEqualTo(3);
    }

    @Test
    void waitingCallerRetriesAReplayThatFoundNoConnection() throws Exception {
        queueAnInvalidation();
        fleet.store().heal();
        CountDownLatch gate = new CountDownLatch(1);
        fleet.store().exhaust(Call.INVALIDATE).before(Call.INVALIDATE, () -> Fleet.await(gate));
        Callers.Call<String> replays = fleet.callers().call(this::get);
        until(() -> fleet.store().count(Call.INVALIDATE) == 2);
        Callers.Call<String> waits = fleet.callers().call(this::get);
        fleet.time().awaitWaiting(1);
        fleet.store().before(Call.INVALIDATE, () -> fleet.store().heal());
        gate.countDown();

        assertThat(replays.failure()).isInstanceOf(WaitTimeoutException.class);
        assertThat(waits.result()).isEqualTo("two");
        assertThat(fleet.store().count(Call.INVALIDATE)).isEqualTo(3);
    }

    @Test
    void callersOfAKeyShareOneReplay() throws Exception {
        queueAnInvalidation();
        fleet.store().heal();
        CountDownLatch gate = new CountDownLatch(1);
        fleet.store().before(Call.INVALIDATE, () -> Fleet.await(gate));

        List<Callers.Call<String>> calls = fleet.callers().call(8, this::get);
        fleet.time().awaitWaiting(7);
        gate.countDown();

        assertThat(Callers.results(calls)).containsOnly("two");
        assertThat(fleet.store().count(Call.INVALIDATE)).isEqualTo(2);
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @Test
    void callersOfAKeyShareTheFailureOfAReplay() throws Exception {
        queueAnInvalidation();
        CountDownLatch gate = new CountDownLatch(1);
        fleet.store().before(Call.INVALIDATE, () -> Fleet.await(gate));

        List<Callers.Call<String>> calls = fleet.callers().call(8, () -> cache.getIfPresent("k"));
        fleet.time().awaitWaiting(7);
        gate.countDown();

        assertThat(Callers.results(calls)).containsOnlyNulls();
        assertThat(fleet.store().count(Call.INVALIDATE)).as("not one each").isEqualTo(2);
    }

    @Test
    void queueIsReplayedInTheBackgroundWhenTheStoreAnswersAgain() {
        fleet.store().refuse();
        cache.invalidate("a");
        cache.put("b", "v");
        cache.expire("c");
        int refused = fleet.store().count(Call.INVALIDATE);
        fleet.advance(ofMillis(100));
        until(() ->
                fleet.store().count(Call.INVALIDATE) > refused || fleet.store().count(Call.EXPIRE) > 1);
        fleet.store().heal();

        until(() -> {
            fleet.advance(ofSeconds(4));
            return queued() == 0;
        });
        until(() ->
                fleet.listener().amounts(EventType.QUEUED_CHANGES).contains(0L)); // reported after the gauge shows it
        assertThat(fleet.listener().amounts(EventType.QUEUED_CHANGES)).endsWith(0L);
    }

    @Test
    void lostAnswerOfAReplayIsFollowedByAnother() {
        queueAnInvalidation();
        fleet.store().heal();
        fleet.store().loseAnswers(Call.INVALIDATE);
        assertThat(get()).isEqualTo("two");
        assertThat(queued()).isEqualTo(1);
        fleet.store().heal();
        fleet.advance(ofSeconds(3)); // the near cache has the value for two seconds

        assertThat(get()).isEqualTo("two");
        until(() -> queued() == 0);
    }

    private void fillTheQueue() {
        for (int i = 0; i < 10_000; i++) {
            cache.invalidate("filler" + i);
        }
    }

    @Test
    void fullQueueRefusesAFurtherKeyAndSaysSo() {
        fleet.store().refuse();
        fillTheQueue();

        assertThatThrownBy(() -> cache.invalidate("d"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("not queued")
                .hasMessageContaining("changes of 10000 other keys");
        cache.put("filler0", "v");
        assertThat(queued()).as("another change of a queued key has room").isEqualTo(10_000);
    }

    @Test
    void fullQueueStillOutdatesTheNearCache() {
        get();
        fleet.store().refuse();
        fillTheQueue();
        fleet.origin().write("two");

        assertThatThrownBy(() -> cache.invalidate("k")).isInstanceOf(StoreException.class);
        assertThat(get()).isEqualTo("two");
    }

    @Test
    void valueThatDoesNotFitIsLoadedAndItsKeyStillRemoved() {
        fleet.store().refuse();
        String mebibyte = "v".repeat((1 << 20) - 100);
        for (int i = 0; i <= 32; i++) {
            cache.put("k" + i, mebibyte);
        }

        assertThat(cache.get("k0", fleet.origin()::read)).isEqualTo(mebibyte);
        assertThat(cache.get("k32", fleet.origin()::read)).isEqualTo("one");
        cache.invalidate("k0");
        cache.put("k32", mebibyte);
        assertThat(cache.get("k32", fleet.origin()::read))
                .as("there is room again")
                .isEqualTo(mebibyte);
    }

    @Test
    void throwingModeQueuesAndThrows() {
        try (Fleet strict = Fleet.near(
                2, POLICY.toBuilder().onStoreFailure(StoreFailureMode.THROW).build())) {
            strict.cache(0).get("k", strict.origin()::read);
            strict.store().refuse();
            strict.origin().write("two");

            assertThatThrownBy(() -> strict.cache(0).invalidate("k"))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("queued");
            assertThatThrownBy(() -> strict.cache(0).put("p", "v")).isInstanceOf(StoreException.class);
            assertThatThrownBy(() -> strict.cache(0).expire("e")).isInstanceOf(StoreException.class);
            strict.store().heal();

            assertThat(strict.cache(0).get("k", strict.origin()::read)).isEqualTo("two");
            assertThat(strict.cache(1).get("k", strict.origin()::read)).isEqualTo("two");
        }
    }

    @Test
    void createdKeyIsNoLongerAbsentThoughTheStoreDoesNotAnswer() {
        fleet.origin().write(null);
        assertThat(get()).isNull();
        fleet.store().refuse(Call.INVALIDATE);
        fleet.origin().write("new");

        cache.keyCreated("k");

        assertThat(get()).isEqualTo("new");
    }

    @Test
    void bulkReadReplaysItsKeysAndLeavesOutUnansweredOnes() {
        cache.put("a", "old a");
        cache.put("b", "b");
        fleet.store().refuse(Call.INVALIDATE);
        cache.invalidate("a");
        assertThat(cache.getAll(List.of("a", "b"), keys -> Map.of("a", "new a")))
                .isEqualTo(Map.of("a", "new a", "b", "b"));
        assertThat(queued()).isEqualTo(1);
        fleet.store().heal();
        fleet.advance(ofSeconds(3)); // the near cache has the value for two seconds

        assertThat(cache.getAll(List.of("a", "b"), keys -> Map.of("a", "newer a")))
                .isEqualTo(Map.of("a", "newer a", "b", "b"));
        until(() -> queued() == 0);
    }

    @Test
    void closingSendsWhatIsQueued() {
        queueAnInvalidation();
        fleet.store().heal();

        cache.close();

        assertThat(on(fleet.store()).read("fleet:k")).isNull();
    }

    @Test
    void changeThatIsQueuedBehindCloseIsSentOnceMore() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        Callers.Call<String> changes = invalidateBehindClose(closed);
        fleet.store().before(Call.INVALIDATE, fleet.store()::heal);
        closed.countDown();

        assertThat(changes.result()).isEqualTo("done");
        assertThat(on(fleet.store()).read("fleet:k")).isNull();
    }

    @Test
    void changeThatIsQueuedBehindCloseAndNotAnsweredAgainIsReported() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        Callers.Call<String> changes = invalidateBehindClose(closed);
        closed.countDown();

        assertThat(changes.failure())
                .isInstanceOf(StoreException.class)
                .hasMessageEndingWith("the change is not queued, because the cache is closed");
        assertThat(queued()).isZero();
    }

    /** Closes the cache during an invalidation, which the store refuses as soon as the latch is open. */
    private Callers.Call<String> invalidateBehindClose(CountDownLatch closed) {
        CountDownLatch sent = new CountDownLatch(1);
        get();
        fleet.store().refuse(Call.INVALIDATE).before(Call.INVALIDATE, () -> {
            sent.countDown();
            Fleet.await(closed);
        });
        Callers.Call<String> changes = fleet.callers().call(() -> {
            cache.invalidate("k");
            return "done";
        });
        Fleet.await(sent);
        cache.close();
        return changes;
    }

    @Test
    void replaysOfManyKeysHaveADeadline() {
        fleet.store().refuse();
        cache.invalidate("a");
        cache.invalidate("b");
        cache.invalidate("c");
        Duration each = POLICY.waitTimeout().dividedBy(2);
        fleet.store().heal().before(Call.INVALIDATE, () -> {
            fleet.advance(each);
            fleet.store().before(Call.INVALIDATE, () -> fleet.advance(each));
        });

        cache.close();

        assertThat(fleet.store().count(Call.INVALIDATE))
                .as("three were refused, and two were sent again")
                .isEqualTo(3 + 2);
    }

    @ForEach
    void logReportsQueueingOnceAndLostChangesOnce(boolean isAnsweredInTheEnd) {
        try (CapturedLog log = new CapturedLog()) {
            String name = "queueing-" + isAnsweredInTheEnd;
            StampedeGuardedCache<String, String> logged =
                    textCache(name, fleet.store()).timeSource(fleet.time()).build();
            fleet.store().refuse(Call.INVALIDATE);
            for (int i = 0; i < 20; i++) {
                logged.invalidate("k" + i);
            }
            if (isAnsweredInTheEnd) {
                fleet.store().heal();
            }
            logged.close();

            assertThat(log.warningsOf(name))
                    .filteredOn(line -> line.contains("queued from now on"))
                    .hasSize(1);
            assertThat(log.warningsOf(name))
                    .filteredOn(line -> line.contains("closed with 20 queued changes"))
                    .hasSize(isAnsweredInTheEnd ? 0 : 1);
        }
    }
}
