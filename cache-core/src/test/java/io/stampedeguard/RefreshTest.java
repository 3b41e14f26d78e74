package io.stampedeguard;

import static io.stampedeguard.testkit.Callers.failure;
import static io.stampedeguard.testkit.Callers.result;
import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.EventType;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.RecentLoadFailureException;
import io.stampedeguard.loader.RecursiveLoadException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A key is loaded now, under its lease, whatever is cached; what the caller gets was loaded since its call. */
final class RefreshTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(ofSeconds(60))
            .hardTtl(ofSeconds(120))
            .waitTimeout(ofSeconds(10))
            .leaseTtl(ofSeconds(20)) // no renewal has to keep up with the clock
            .jitter(0)
            .build();

    @AutoClose
    private Fleet fleet = new Fleet(3, POLICY);

    private void use(Fleet other) {
        fleet.close();
        fleet = other;
    }

    private static Fleet fleet(boolean near) {
        return near ? Fleet.near(3, POLICY) : new Fleet(3, POLICY);
    }

    private String get(int process) {
        return fleet.cache(process).get("k", fleet.origin()::read);
    }

    private CompletableFuture<String> refresh(int process) {
        return fleet.cache(process).refresh("k", fleet.origin()::read);
    }

    /** Returns what the process answers, on a thread of its own: no load must hold it up. */
    private String answerOf(int process) throws Exception {
        return fleet.callers().call(() -> get(process)).result();
    }

    @ForEach
    void freshValueIsReplaced(boolean near) throws Exception {
        use(fleet(near));
        assertThat(get(0)).isEqualTo("one");
        fleet.origin().write("two");
        assertThat(result(refresh(0))).isEqualTo("two");

        assertThat(get(0)).isEqualTo("two");
        assertThat(get(1)).as("of a process without a copy").isEqualTo("two");
        assertThat(fleet.origin().reads()).isEqualTo(2);
        assertThat(fleet.listener().count(EventType.LOAD_STORED)).isEqualTo(2);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = "one")
    void keyThatIsNotCachedIsLoaded(String row) throws Exception {
        fleet.origin().write(row);
        assertThat(result(fleet.cache(0).refresh("k"))).isEqualTo(row);
        assertThat(result(fleet.cache(0).refresh("k")))
                .as("absence that is cached is no answer")
                .isEqualTo(row);

        assertThat(fleet.origin().reads()).isEqualTo(2);
        assertThat(get(1)).isEqualTo(row);
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @Test
    void staleValueIsReplaced() throws Exception {
        get(0);
        fleet.advance(ofSeconds(60));
        fleet.origin().write("two");
        assertThat(result(refresh(1))).isEqualTo("two");
        assertThat(get(0)).isEqualTo("two");
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @ForEach
    void meanwhileTheOldValueAnswersAndNobodyWaits(boolean near) throws Exception {
        use(fleet(near));
        get(0);
        fleet.origin().close();
        fleet.origin().write("two");
        CompletableFuture<String> refreshed = refresh(0);
        until(() -> fleet.origin().running() == 1);

        assertThat(answerOf(0)).isEqualTo("one");
        assertThat(answerOf(1)).isEqualTo("one");
        assertThat(refreshed).isNotDone();
        fleet.origin().open();
        assertThat(result(refreshed)).isEqualTo("two");
    }

    /** As {@code expire} has it: that is the call that declares a value outdated. */
    @Test
    void copiesOfOtherProcessesStayUnlessTheValueIsExpiredFirst() throws Exception {
        use(fleet(true));
        get(0);
        get(1);
        fleet.origin().write("two");
        result(refresh(0));
        assertThat(get(1)).isEqualTo("one");

        fleet.cache(0).expire("k");
        assertThat(result(refresh(0))).isEqualTo("two");
        assertThat(get(1)).isEqualTo("two");
    }

    @ForEach
    void failureLeavesTheValueAndTheKeyCoolsDown(boolean near) throws Exception {
        use(fleet(near));
        get(0);
        IOException broken = new IOException("origin");
        fleet.origin().fail(broken);
        assertThat(failure(refresh(0))).isInstanceOf(LoadException.class).hasCause(broken);

        for (int process = 0; process < 2; process++) {
            assertThat(failure(refresh(process))).isInstanceOf(RecentLoadFailureException.class);
            assertThat(get(process)).isEqualTo("one");
        }
        assertThat(fleet.origin().reads()).isEqualTo(2);
        fleet.origin().fail(null);
        fleet.advance(POLICY.failureCoolDown());
        assertThat(result(refresh(1))).isEqualTo("one");
        assertThat(fleet.listener().count(AnswerSource.STALE)).isZero();
    }

    @Test
    void loadOfThisProcessThatBeganBeforeIsNoAnswer() throws Exception {
        Callers.Call<String> before = fleet.loading(0, "k");
        fleet.origin().write("two");
        CompletableFuture<String> refreshed = refresh(0);
        until(() -> fleet.gauges(0).waiting() == 1);
        fleet.origin().open();

        assertThat(before.result()).isEqualTo("one");
        assertThat(result(refreshed)).isEqualTo("two");
        assertThat(get(1)).isEqualTo("two");
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @ForEach
    void loadOfAnotherProcessThatBeganBeforeIsNoAnswer(boolean notifies) throws Exception {
        use(notifies ? new Fleet(2, POLICY) : Fleet.polling(2, POLICY, cache -> cache));
        Callers.Call<String> before = fleet.loading(1, "k");
        fleet.origin().write("two");
        CompletableFuture<String> refreshed = refresh(0);
        fleet.time().awaitWaiting(1);
        assertThat(fleet.origin().running()).isEqualTo(1);
        fleet.origin().open();
        assertThat(before.result()).isEqualTo("one");
        fleet.advanceUntil(refreshed::isDone, ofMillis(10));

        assertThat(result(refreshed)).isEqualTo("two");
        assertThat(fleet.origin().reads()).isEqualTo(2);
        assertThat(get(1)).isEqualTo("two");
    }

    /** The entry that the other process stores is not the one that was seen, and is older than the call nevertheless. */
    @ForEach
    void reloadByAnotherProcessThatBeganBeforeIsNoAnswer(boolean near) throws Exception {
        use(fleet(near));
        get(0);
        fleet.cache(1).expire("k");
        fleet.origin().close();
        assertThat(get(1)).as("stale").isEqualTo("one");
        until(() -> fleet.origin().running() == 1);
        fleet.origin().write("two");
        CompletableFuture<String> refreshed = refresh(0);
        until(() -> fleet.gauges(0).waiting() == 1);
        fleet.origin().open();

        fleet.advanceUntil(refreshed::isDone, ofMillis(10));
        assertThat(result(refreshed)).isEqualTo("two");
        assertThat(fleet.origin().reads()).isEqualTo(3);
    }

    /** A get of the same process waits for the other process as well; what it is given is no answer to a refresh. */
    @Test
    void whatALocalCallerWaitsForIsNoAnswerEither() throws Exception {
        Callers.Call<String> before = fleet.loading(1, "k");
        Callers.Call<String> beside = fleet.get(0, "k");
        fleet.time().awaitWaiting(1);
        fleet.origin().write("two");
        CompletableFuture<String> refreshed = refresh(0);
        until(() -> fleet.gauges(0).waiting() == 2);
        fleet.origin().open();

        assertThat(before.result()).isEqualTo("one");
        assertThat(beside.result()).isIn("one", "two");
        fleet.advanceUntil(refreshed::isDone, ofMillis(10));
        assertThat(result(refreshed)).isEqualTo("two");
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    /** What the other process publishes is an answer to them, though not to the refresh that they wait behind. */
    @ForEach
    void followersOfARefreshGetWhatAnotherProcessPublishes(boolean notifies) throws Exception {
        use(notifies ? new Fleet(2, POLICY) : Fleet.polling(2, POLICY, cache -> cache));
        CountDownLatch mayReload = new CountDownLatch(1);
        Callers.Call<String> before = fleet.loading(1, "k");
        CompletableFuture<String> refreshed = fleet.cache(0).refresh("k", key -> {
            Fleet.await(mayReload);
            return "two";
        });
        fleet.time().awaitWaiting(1);
        Callers.Call<String> follower = fleet.get(0, "k");
        until(() -> fleet.gauges(0).waiting() == 2);
        fleet.origin().open();
        assertThat(before.result()).isEqualTo("one");

        fleet.advance(POLICY.maxPollInterval()); // and no further: at the end of its own wait, a caller reads as well
        assertThat(follower.result()).isEqualTo("one");
        assertThat(refreshed).isNotDone();
        mayReload.countDown();
        assertThat(result(refreshed)).isEqualTo("two");
    }

    @Test
    void ofProcessesThatWaitForALoadOneLoadsForAll() throws Exception {
        Callers.Call<String> before = fleet.loading(1, "k");
        fleet.origin().write("two");
        CompletableFuture<String> first = refresh(0);
        CompletableFuture<String> second = refresh(2);
        fleet.time().awaitWaiting(2);
        fleet.origin().open();

        assertThat(before.result()).isEqualTo("one");
        fleet.advanceUntil(() -> first.isDone() && second.isDone(), ofMillis(10));
        assertThat(result(first)).isEqualTo("two");
        assertThat(result(second)).isEqualTo("two");
        assertThat(fleet.origin().reads()).as("the one before, and one since").isEqualTo(2);
    }

    /** Between what it finds, which is no answer, and its next request. */
    @Test
    void loadOfAnotherProcessSinceIsAnAnswerWhereverItIsRead() throws Exception {
        Callers.Call<String> before = fleet.loading(1, "k");
        fleet.origin().write("two");
        CompletableFuture<String> refreshed = refresh(0);
        fleet.time().awaitWaiting(1);
        fleet.store().before(Call.READ, () -> refresh(2).join());
        fleet.origin().open();

        assertThat(before.result()).isEqualTo("one");
        fleet.advanceUntil(refreshed::isDone, ofMillis(10));
        assertThat(result(refreshed)).isEqualTo("two");
        assertThat(fleet.origin().reads()).as("the one before, and one since").isEqualTo(2);
    }

    @Test
    void callersOfOneProcessShareTheLoadThatBeginsAfterTheirCalls() throws Exception {
        get(0);
        fleet.origin().close();
        CompletableFuture<String> early = refresh(0);
        until(() -> fleet.origin().running() == 1);
        fleet.origin().write("two");
        List<CompletableFuture<String>> late = new ArrayList<>();
        for (int caller = 0; caller < 20; caller++) {
            late.add(refresh(0));
        }
        until(() -> fleet.gauges(0).waiting() == 20);
        int reads = fleet.store().done(Call.READ);
        fleet.store()
                .before(
                        Call.LEASE,
                        () -> until(() -> fleet.store().done(Call.READ) == reads + 20
                                && fleet.gauges(0).waiting() == 19)); // the others wait for the one that loads next
        fleet.origin().open();

        assertThat(result(early)).isEqualTo("one");
        assertThat(Callers.values(late)).containsOnly("two");
        assertThat(fleet.origin().reads()).isEqualTo(3);
    }

    @Test
    void valueThatIsPutMeanwhileAnswersAWaitingCall() throws Exception {
        Callers.Call<String> before = fleet.loading(1, "k");
        CompletableFuture<String> refreshed = refresh(0);
        fleet.time().awaitWaiting(1);
        fleet.cache(2).put("k", "put");
        fleet.advanceUntil(refreshed::isDone, ofMillis(10));

        assertThat(result(refreshed)).isEqualTo("put");
        fleet.origin().open();
        assertThat(before.result()).isEqualTo("one");
        assertThat(get(2)).isEqualTo("put");
    }

    @ForEach
    void waitForAnotherProcessEndsWithTheWaitTimeout(boolean near) throws Exception {
        use(fleet(near));
        get(0);
        fleet.cache(1).expire("k");
        fleet.origin().close();
        assertThat(get(1)).as("stale").isEqualTo("one");
        until(() -> fleet.origin().running() == 1);
        CompletableFuture<String> refreshed = refresh(0);
        fleet.advanceUntil(refreshed::isDone, ofMillis(500));

        assertThat(failure(refreshed)).isInstanceOf(WaitTimeoutException.class);
        assertThat(get(0)).isEqualTo("one");
        assertThat(fleet.origin().running()).isEqualTo(1);
    }

    @ForEach
    void onlyTheOriginAnswersWhileTheStoreIsDown(boolean near) throws Exception {
        use(fleet(near));
        get(0);
        fleet.origin().write("two");
        fleet.store().refuse();
        assertThat(result(refresh(0))).isEqualTo("two");

        assertThat(get(0)).as("kept in this process").isEqualTo("two");
        fleet.origin().fail(new IOException("origin"));
        assertThat(failure(refresh(0))).isInstanceOf(LoadException.class);
    }

    @Test
    void whereOnlyReadsAreRefusedTheKeyIsLoadedUnderItsLease() throws Exception {
        get(0);
        fleet.origin().write("two");
        fleet.store().refuse(Call.READ);
        assertThat(result(refresh(0))).isEqualTo("two");
        fleet.store().heal();
        assertThat(get(1)).isEqualTo("two");
        assertThat(fleet.listener().count(EventType.LOAD_STORED)).isEqualTo(2);
    }

    @Test
    void withoutAConnectionTheOldValueIsNoAnswer() throws Exception {
        use(fleet(true));
        get(0);
        fleet.store().exhaust(Call.READ, Call.LEASE);
        assertThat(failure(refresh(0))).isInstanceOf(WaitTimeoutException.class);
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void valueThatIsInvalidatedMeanwhileIsReturnedAndNotStored() throws Exception {
        get(0);
        fleet.origin().close();
        CompletableFuture<String> refreshed = refresh(0);
        until(() -> fleet.origin().running() == 1);
        fleet.cache(1).invalidate("k");
        fleet.origin().open();

        assertThat(result(refreshed)).isEqualTo("one");
        assertThat(on(fleet.store()).read("fleet:k")).isNull();
        assertThat(fleet.listener().count(EventType.LOAD_FENCED)).isEqualTo(1);
    }

    @Test
    void adaptiveLoaderSeesTheFreshValueAndMayExtendIt() throws Exception {
        get(0);
        fleet.advance(ofSeconds(20));
        Loader<String, String> unchanged = Loader.adaptive((key, previous) -> {
            assertThat(previous).isNotNull();
            assertThat(previous.value()).isEqualTo("one");
            return LoadedValue.notModified();
        });
        assertThat(result(fleet.cache(0).refresh("k", unchanged))).isEqualTo("one");

        assertThat(fleet.store().count(Call.EXTEND)).isEqualTo(1);
        fleet.advance(ofSeconds(59));
        get(1);
        assertThat(fleet.listener().count(AnswerSource.STALE)).as("fresh again").isZero();
    }

    @Test
    void loaderThatRefreshesItsOwnKeyFailsAtOnce() throws Exception {
        Loader<String, String> recursive =
                key -> fleet.cache(0).refresh(key, fleet.origin()::read).join();
        assertThat(failure(fleet.cache(0).refresh("k", recursive)))
                .isInstanceOf(LoadException.class)
                .hasRootCauseInstanceOf(RecursiveLoadException.class);
    }

    @Test
    void whoCancelsItsFutureTouchesNobodyElse() throws Exception {
        get(0);
        fleet.origin().close();
        fleet.origin().write("two");
        CompletableFuture<String> refreshed = refresh(0);
        until(() -> fleet.origin().running() == 1);
        refreshed.cancel(true);
        fleet.origin().open();

        until(() -> fleet.listener().count(EventType.LOAD_STORED) == 2);
        assertThat(get(1)).isEqualTo("two");
    }

    @Test
    void invalidKeyIsAbsentAndNotLoaded() throws Exception {
        try (StampedeGuardedCache<String, String> strict =
                fleet.builder("strict").keyValidator(key -> false).build()) {
            assertThat(result(strict.refresh("k"))).isNull();
            assertThat(fleet.origin().reads()).isZero();
        }
    }

    @Test
    void countsAsALoadAndNotAsARead() throws Exception {
        get(0);
        List<AnswerSource> before = fleet.listener().events(AnswerSource.class);
        result(refresh(0));
        fleet.origin().fail(new IOException("origin"));
        failure(refresh(0));

        assertThat(fleet.listener().events(AnswerSource.class)).isEqualTo(before);
        assertThat(fleet.listener().count(EventType.LOAD_FAILED)).isEqualTo(1);
    }

    @Test
    void closedCacheEndsItsFutures() throws Exception {
        Callers.Call<String> before = fleet.loading(1, "k");
        CompletableFuture<String> refreshed = refresh(0);
        fleet.time().awaitWaiting(1);
        Fleet.closeAtOnce(fleet.cache(0));

        assertThat(failure(refreshed)).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
        fleet.origin().open();
        assertThat(before.result()).isEqualTo("one");
    }
}
