package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.Policies.withoutJitter;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadTimeoutException;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.RecentLoadFailureException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.io.IOException;
import java.util.EnumSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each row of docs/failures.md, for each form of {@code get}: what the caller gets, and which calls the origin gets. */
final class FailuresTest {
    private static final CachePolicy POLICY = withoutJitter(ofSeconds(10), ofSeconds(20))
            .leaseTtl(ofSeconds(2))
            .waitTimeout(ofSeconds(5))
            .loadTimeout(ofSeconds(4))
            .maxConcurrentLoads(1)
            .failureCoolDown(ofSeconds(1))
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(2, POLICY);

    /** Takes the lease of the key; returns whether it was free. */
    private static boolean takesTheLease(Fleet fleet) {
        return on(fleet.store()).lease("fleet:k", LeaseToken.next(), null, ofSeconds(1))
                instanceof LeaseAttempt.Granted;
    }

    @ForEach
    void anUnansweredReadMeansALoadUnderALease(FormOfGet form) throws Exception {
        fleet.store().refuse(Call.READ, Call.READ_ALL).after(Call.LEASE, fleet.store()::heal);

        assertThat(form.askOf(fleet, 0).result()).isEqualTo("one");

        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(on(fleet.store()).read("fleet:k")).isNotNull();
    }

    @ForEach
    void aStoreThatIsDownMeansALoadWithoutALease(FormOfGet form) throws Exception {
        fleet.store().refuse();

        assertThat(form.askOf(fleet, 0).result()).isEqualTo("one");

        assertThat(fleet.origin().reads()).isEqualTo(1);
        fleet.store().heal();
        assertThat(on(fleet.store()).read("fleet:k")).isNull();
    }

    @ForEach
    void aStoreThatRefusesChangesMeansALoadWithoutALease(FormOfGet form) throws Exception {
        fleet.store()
                .refuse(EnumSet.complementOf(EnumSet.of(Call.READ, Call.READ_ALL))
                        .toArray(Call[]::new));

        assertThat(form.askOf(fleet, 0).result()).isEqualTo("one");

        assertThat(fleet.origin().reads()).isEqualTo(1);
        until(() -> fleet.listener().count(EventType.LOAD_NOT_STORED) == form.keys());
        fleet.store().heal();
        assertThat(on(fleet.store()).read("fleet:k")).isNull();
    }

    @ForEach
    void aQueuedChangeMeansALoadThoughTheStoreHasAnEntry(FormOfGet form) throws Exception {
        fleet.cache(0).put(FormOfGet.KEY, "old");
        fleet.store().refuse(Call.INVALIDATE);
        fleet.cache(0).invalidate(FormOfGet.KEY);

        assertThat(form.askOf(fleet, 0).result()).isEqualTo("one");

        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(fleet.cache(1).getIfPresent(FormOfGet.KEY))
                .as("other processes do not see the change yet")
                .isEqualTo("old");
    }

    @ForEach
    void aQueuedPutAnswersItsProcess(FormOfGet form) throws Exception {
        fleet.store().refuse();
        fleet.cache(0).put(FormOfGet.KEY, "put");

        assertThat(form.askOf(fleet, 0).result()).isEqualTo("put");

        assertThat(fleet.origin().reads()).isZero();
    }

    @ForEach
    void aReplayedChangeIsFollowedByOneLoad(FormOfGet form) throws Exception {
        fleet.store().refuse();
        fleet.cache(0).put(FormOfGet.KEY, "put");
        fleet.store().heal();

        assertThat(form.askOf(fleet, 0).result()).isEqualTo("one");
        assertThat(form.askOf(fleet, 1).result()).isEqualTo("one");

        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @ForEach
    void aRecentCopyAnswersWhileTheStoreIsDown(FormOfGet form) throws Exception {
        try (Fleet near = Fleet.near(1, POLICY)) {
            near.get(0, FormOfGet.KEY).result();
            near.store().cutChanges().refuse();
            near.advance(ofSeconds(9));

            assertThat(form.askOf(near, 0).result()).isEqualTo("one");

            assertThat(near.origin().reads()).isEqualTo(1);
        }
    }

    @ForEach
    void aStaleCopyAnswersDuringAnOutageWhileOneLoadRuns(FormOfGet form) throws Exception {
        // While the only permit is taken, as by another key of the call, a load in the background is dropped.
        CachePolicy roomy = POLICY.toBuilder().maxConcurrentLoads(4).build();
        try (Fleet near = Fleet.near(1, roomy)) {
            near.get(0, FormOfGet.KEY).result();
            near.store().cutChanges().refuse();
            near.advance(ofSeconds(15));
            near.origin().close();

            assertThat(form.askOf(near, 0).result()).isEqualTo("one");

            until(() -> near.origin().running() == 1);
        }
    }

    @ForEach
    void anOlderCopyAnswersWhileStoreAndOriginAreDown(FormOfGet form) throws Exception {
        try (Fleet near = Fleet.near(1, POLICY)) {
            near.get(0, FormOfGet.KEY).result();
            near.store().cutChanges().refuse();
            near.origin().fail(new IOException("down"));
            near.advance(ofSeconds(15));

            assertThat(form.askOf(near, 0).result()).isEqualTo("one");
        }
    }

    @ForEach
    void anEntryLostInARestartAnswersWhileOneLoadRuns(FormOfGet form) throws Exception {
        // While the only permit is taken, as by another key of the call, a load in the background is dropped.
        CachePolicy roomy = POLICY.toBuilder().maxConcurrentLoads(4).build();
        try (Fleet near = Fleet.near(2, roomy)) {
            near.get(0, FormOfGet.KEY).result();
            near.store().kill();
            near.get(0, FormOfGet.KEY).result(); // without an answer
            near.advance(ofSeconds(1));
            near.store().restart();
            near.origin().close();

            assertThat(form.askOf(near, 0).result()).isEqualTo("one");

            until(() -> near.origin().running() == 1);
            near.origin().open();
            until(() -> on(near.store()).read("fleet:k") != null);
        }
    }

    @ForEach
    void noFreeConnectionMeansAWaitAndNoLoad(FormOfGet form) throws Exception {
        fleet.store().exhaust();

        assertThat(form.askOf(fleet, 0).failure())
                .isInstanceOf(WaitTimeoutException.class)
                .hasMessageContaining("no connection")
                .hasMessageContaining("'fleet:k'");

        assertThat(fleet.origin().reads()).isZero();
    }

    @ForEach
    void aLeaseHeldElsewhereIsWaitedFor(FormOfGet form) throws Exception {
        fleet.loading(0, FormOfGet.KEY);
        Callers.Call<String> waiter = form.askOf(fleet, 1);
        fleet.time().awaitWaiting(1);

        fleet.origin().open();

        assertThat(waiter.result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @ForEach
    void aLeaseHeldElsewhereForTooLongEndsTheWait(FormOfGet form) throws Exception {
        on(fleet.store()).lease("fleet:k", LeaseToken.next(), null, ofSeconds(60));
        Callers.Call<String> waiter = form.askOf(fleet, 1);
        fleet.time().awaitWaiting(1);

        fleet.advance(ofSeconds(5));

        assertThat(waiter.failure()).isInstanceOf(WaitTimeoutException.class);
        assertThat(fleet.origin().reads()).isZero();
    }

    @ForEach
    void aSilentStoreIsNoReasonToLoadWhatIsHeldElsewhere(FormOfGet form) throws Exception {
        on(fleet.store()).lease("fleet:k", LeaseToken.next(), null, ofSeconds(60));
        Callers.Call<String> waiter = form.askOf(fleet, 1);
        fleet.time().awaitWaiting(1);
        fleet.store().refuse(Call.LEASE, Call.LEASE_ALL);
        fleet.advance(ofMillis(250));
        fleet.time().awaitWaiting(1);
        assertThat(fleet.origin().reads()).as("while the lease may be alive").isZero();

        fleet.advance(ofSeconds(2));

        assertThat(waiter.result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @ForEach
    void aCallerThatIsInterruptedWhileItWaitsHarmsNobody(FormOfGet form) throws Exception {
        Callers.Call<String> leader = fleet.loading(0, FormOfGet.KEY);
        Callers.Call<String> waiter = form.askOf(fleet, 1);
        fleet.time().awaitWaiting(1);

        waiter.interrupt();

        assertThat(waiter.failure())
                .isInstanceOfAny(WaitInterruptedException.class, InterruptedException.class); // that of Future.get
        fleet.origin().open();
        assertThat(leader.result()).isEqualTo("one");
    }

    @ForEach
    void aResultWhosePublicationIsRefusedIsStillItsLeadersAnswer(FormOfGet form) throws Exception {
        Callers.Call<String> leader = form.loadingOf(fleet, 0);
        fleet.origin().write("two");
        fleet.cache(1).invalidate(FormOfGet.KEY);

        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(on(fleet.store()).read("fleet:k")).isNull();
        assertThat(fleet.listener().count(EventType.LOAD_FENCED)).isEqualTo(1);
        assertThat(fleet.listener().count(EventType.LOAD_STORED))
                .as("the other keys")
                .isEqualTo(form.keys() - 1);
        assertThat(form.askOf(fleet, 0).result()).isEqualTo("two");
    }

    @ForEach
    void aResultWhosePublicationHasNoAnswerIsStillItsLeadersAnswer(FormOfGet form) throws Exception {
        fleet.store().refuse(Call.PUBLISH, Call.PUBLISH_ALL);

        assertThat(form.askOf(fleet, 0).result()).isEqualTo("one");

        assertThat(fleet.origin().reads()).isEqualTo(1);
        until(() -> fleet.listener().count(EventType.LOAD_NOT_STORED) == form.keys());
        until(() -> takesTheLease(fleet));
    }

    @ForEach
    void aResultThatIsNotStoredIsAnAnswer(FormOfGet form) throws Exception {
        try (Fleet small = new Fleet(2, POLICY.toBuilder().maxPayloadBytes(2).build())) {
            assertThat(form.askOf(small, 0).result()).isEqualTo("one");
            assertThat(form.askOf(small, 1).result()).isEqualTo("one");

            assertThat(small.origin().reads()).isEqualTo(2);
            assertThat(on(small.store()).read("fleet:k")).isNull();
        }
    }

    @ForEach
    void aFailureOfTheLoaderIsItsCallersFailure(FormOfGet form) throws Exception {
        fleet.origin().fail(new IOException("down"));

        assertThat(form.askOf(fleet, 0).failure())
                .isInstanceOf(LoadException.class)
                .hasRootCauseMessage("down");

        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @ForEach
    void aFailureThatIsAnAnswerIsNotRemembered(FormOfGet form) throws Exception {
        try (Fleet tolerant =
                new Fleet(2, POLICY.toBuilder().coolDownOn(failure -> false).build())) {
            tolerant.origin().fail(new IOException("no such product"));
            form.askOf(tolerant, 0).failure();

            assertThat(form.askOf(tolerant, 1).failure()).isInstanceOf(LoadException.class);

            assertThat(tolerant.origin().reads()).isEqualTo(2);
        }
    }

    @ForEach
    void aKeyThatCoolsDownIsNotLoaded(FormOfGet form) throws Exception {
        fleet.origin().fail(new IOException("down"));
        fleet.get(0, FormOfGet.KEY).failure();

        assertThat(form.askOf(fleet, 1).failure()).isInstanceOf(RecentLoadFailureException.class);

        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @ForEach
    void aStaleValueIsServedThoughTheLoaderFails(FormOfGet form) throws Exception {
        fleet.get(0, FormOfGet.KEY).result();
        fleet.origin().fail(new IOException("down"));
        fleet.advance(ofSeconds(12));

        assertThat(form.askOf(fleet, 0).result()).isEqualTo("one");

        until(() -> fleet.cache(0).reloading() == 0);
        assertThat(form.askOf(fleet, 1).result()).isEqualTo("one");
        until(() -> fleet.cache(1).reloading() == 0);
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "GET_ASYNC") // in that case the stage fails
    void anInterruptOfTheLoaderAffectsOnlyItsThread(FormOfGet form) throws Exception {
        Callers.Call<String> interrupted = form.loadingOf(fleet, 0);
        Callers.Call<String> elsewhere = form.askOf(fleet, 1);
        fleet.time().awaitWaiting(1);

        interrupted.interrupt();
        interrupted.failure();
        fleet.origin().open();

        assertThat(elsewhere.result()).isEqualTo("one");
        assertThat(fleet.store().count(Call.FAIL) + fleet.store().count(Call.FAIL_ALL))
                .isZero();
    }

    @ForEach
    void anErrorOfTheLoaderIsItsCallersError(FormOfGet form) throws Exception {
        fleet.origin().fail(new NoSuchMethodError("gone"));

        assertThat(form.askOf(fleet, 0).failure()).isInstanceOf(NoSuchMethodError.class);
        until(() -> fleet.store().done(Call.FAIL) == form.keys());
        assertThat(form.askOf(fleet, 1).failure()).isInstanceOf(RecentLoadFailureException.class);

        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @ForEach
    void aLoadThatTakesTooLongIsCutOff(FormOfGet form) throws Exception {
        Callers.Call<String> leader = form.loadingOf(fleet, 0);
        Callers.Call<String> follower = fleet.get(0, FormOfGet.KEY);
        until(() -> fleet.cache(0).explain(FormOfGet.KEY).waiters() == 1);

        fleet.advance(ofSeconds(4));
        fleet.origin().open();

        assertThat(leader.failure())
                .isInstanceOf(LoadTimeoutException.class)
                .hasMessage("the loader for 'fleet:k' did not return within the loadTimeout PT4S");
        assertThat(follower.failure()).isInstanceOf(LoadTimeoutException.class);
        until(() -> fleet.store().done(Call.FAIL) == form.keys());
        assertThat(on(fleet.store()).read("fleet:k")).isNull();
        until(() -> fleet.listener().count(EventType.LOAD_TIMED_OUT) == form.keys());
    }

    @ForEach
    void noPermitMeansAWaitForOne(FormOfGet form) throws Exception {
        CountDownLatch other = fleet.origin().close();
        fleet.get(0, "another");
        until(() -> fleet.origin().running() == 1);
        Callers.Call<String> late = form.askOf(fleet, 0);
        fleet.time().awaitWaiting(1);
        assertThat(fleet.origin().reads()).isEqualTo(1);

        other.countDown();
        fleet.origin().open();

        assertThat(late.result()).isEqualTo("one");
        assertThat(fleet.origin().mostAtOnce()).isEqualTo(1);
    }

    @ForEach
    void permitsThatStayTakenEndTheWait(FormOfGet form) throws Exception {
        try (Fleet slow =
                new Fleet(1, POLICY.toBuilder().waitTimeout(ofSeconds(1)).build())) {
            slow.loading(0, "another");
            Callers.Call<String> late = form.askOf(slow, 0);
            slow.time().awaitWaiting(1);

            slow.advance(ofSeconds(1));

            assertThat(late.failure())
                    .isInstanceOf(OriginBusyException.class)
                    .hasMessageContaining("'fleet:k'")
                    .hasMessageContaining("maxConcurrentLoads");
            assertThat(slow.origin().reads()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "GET_ASYNC") // an asynchronous loader does not use it
    void anExecutorWithoutRoomMeansABusyOrigin(FormOfGet form) throws Exception {
        try (Fleet full = new Fleet(
                1,
                POLICY,
                cache -> cache.loaderExecutor(task -> {
                    throw new RejectedExecutionException("full");
                }))) {
            assertThat(form.askOf(full, 0).failure())
                    .isInstanceOf(OriginBusyException.class)
                    .hasMessage("the loaderExecutor rejected the load of 'fleet:k'")
                    .hasCauseInstanceOf(RejectedExecutionException.class);
            assertThat(full.origin().reads()).isZero();
            until(() -> full.listener().count(EventType.LOAD_NOT_BEGUN) == form.keys());
            until(() -> takesTheLease(full));
        }
    }

    @ForEach
    void aLoaderThatFindsNoThreadRunsOnItsCallers(FormOfGet form) throws Exception {
        // Longer than the clock can be advanced while the leader, or an asynchronous caller, gets no processor.
        CachePolicy patient = POLICY.toBuilder()
                .loadTimeout(ofHours(1))
                .waitTimeout(ofHours(1))
                .build();
        try (Fleet full = new Fleet(1, patient, cache -> cache.loaderExecutor(task -> {}))) {
            Callers.Call<String> call = form.askOf(full, 0);
            while (!call.isOver()) {
                full.advance(ofMillis(50));
                LockSupport.parkNanos(1_000_000);
            }

            assertThat(call.result()).isEqualTo("one");
            assertThat(full.origin().reads()).isOne();
        }
    }

    @ForEach
    void aLoadThatRunsWhenItsCacheIsClosedMayEnd(FormOfGet form) throws Exception {
        Callers.Call<String> call = form.loadingOf(fleet, 0);

        Callers.Call<Boolean> closing = fleet.closing(0);
        fleet.time().awaitWaiting(form == FormOfGet.GET_ASYNC ? 2 : 1);
        fleet.origin().open();

        assertThat(call.result()).isEqualTo("one");
        assertThat(closing.result()).isTrue();
        assertThat(form.askOf(fleet, 1).result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @ForEach
    void aLoadIsCutOffWhenTheCloseIsInterrupted(FormOfGet form) throws Exception {
        Callers.Call<String> call = form.loadingOf(fleet, 0);

        Callers.Call<Boolean> closing = fleet.closing(0);
        fleet.time().awaitWaiting(form == FormOfGet.GET_ASYNC ? 2 : 1);
        closing.interrupt();

        assertThat(call.failure()).isInstanceOf(IllegalStateException.class);
        assertThat(closing.result()).isTrue();
    }

    @ForEach
    void aClosedCacheAnswersNobody(FormOfGet form) throws Exception {
        fleet.cache(0).close();

        assertThat(form.askOf(fleet, 0).failure()).isInstanceOf(IllegalStateException.class);

        assertThat(fleet.origin().reads()).isZero();
    }

    @ForEach
    void aDamagedEntryIsReplaced(FormOfGet form) throws Exception {
        on(fleet.store()).put("fleet:k", new byte[40], ofSeconds(60));

        assertThat(form.askOf(fleet, 0).result()).isEqualTo("one");
        assertThat(form.askOf(fleet, 1).result()).isEqualTo("one");

        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @ForEach
    void anEntryForOthersIsLeftAlone(FormOfGet form) throws Exception {
        fleet.get(0, FormOfGet.KEY).result();
        byte[] newer = on(fleet.store()).read("fleet:k");
        newer[18] = 4;
        on(fleet.store()).put("fleet:k", newer.clone(), ofSeconds(60));

        assertThat(form.askOf(fleet, 0).result()).isEqualTo("one");
        assertThat(form.askOf(fleet, 0).result()).isEqualTo("one");

        assertThat(fleet.origin().reads()).isEqualTo(2);
        assertThat(on(fleet.store()).read("fleet:k")).isEqualTo(newer);
    }

    @ForEach
    void aFollowersTimeoutIsItsOwn(FormOfGet form) throws Exception {
        try (Fleet brief =
                new Fleet(1, POLICY.toBuilder().waitTimeout(ofSeconds(1)).build())) {
            Callers.Call<String> leader = brief.loading(0, FormOfGet.KEY);
            Callers.Call<String> follower = form.askOf(brief, 0);
            if (form != FormOfGet.GET_ASYNC) {
                brief.time().awaitWaiting(1);
            }
            until(() -> brief.cache(0).explain(FormOfGet.KEY).waiters() == 1);
            brief.advance(ofSeconds(1));

            assertThat(follower.failure()).isInstanceOf(WaitTimeoutException.class);
            brief.origin().open();
            assertThat(leader.result()).isEqualTo("one");
            assertThat(brief.origin().reads()).isEqualTo(1);
        }
    }
}
