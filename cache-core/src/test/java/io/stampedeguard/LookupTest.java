package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.Policies.exact;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.LookupResult;
import io.stampedeguard.loader.LookupResult.State;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedStore.Call;
import io.stampedeguard.testkit.SetFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A look-up tells a value, a cached absence, and nothing, and never loads. */
final class LookupTest {
    private static final CachePolicy POLICY =
            exact(ofSeconds(10), ofSeconds(30)).negativeTtl(ofSeconds(3)).build();

    private static final NearCacheOptions NEAR =
            NearCacheOptions.builder().maximumSize(100).build();

    private final List<Fleet> fleets = new ArrayList<>();

    private Fleet fleet(boolean near) {
        Fleet fleet = near ? Fleet.near(2, POLICY) : new Fleet(2, POLICY);
        fleets.add(fleet);
        return fleet;
    }

    @AfterEach
    void close() {
        fleets.forEach(Fleet::close);
    }

    /** The two forms of a look-up. */
    enum Form {
        LOOKUP {
            @Override
            LookupResult<String> lookUp(Fleet fleet) {
                return fleet.cache(0).lookup("k");
            }
        },
        LOOKUP_ASYNC {
            @Override
            LookupResult<String> lookUp(Fleet fleet) throws Exception {
                return fleet.cache(0).lookupAsync("k").get(1, TimeUnit.MINUTES);
            }
        };

        abstract LookupResult<String> lookUp(Fleet fleet) throws Exception;
    }

    private static void assertFound(LookupResult<String> result, State state, @Nullable String value, boolean isStale) {
        assertThat(result.state()).isEqualTo(state);
        assertThat(result.value()).isEqualTo(value);
        assertThat(result.isStale()).isEqualTo(isStale);
    }

    @ForEach
    void eachStateIsToldAndNothingIsLoaded(Form form) throws Exception {
        for (boolean near : new boolean[] {false, true}) {
            Fleet fleet = fleet(near);
            assertFound(form.lookUp(fleet), State.NOTHING, null, false);

            fleet.cache(1).put("k", "v");
            assertFound(form.lookUp(fleet), State.VALUE, "v", false);
            fleet.advance(ofSeconds(10));
            assertFound(form.lookUp(fleet), State.VALUE, "v", true);
            fleet.advance(ofSeconds(20));
            assertFound(form.lookUp(fleet), State.NOTHING, null, false);

            fleet.cache(1).put("k", LoadedValue.absent());
            assertFound(form.lookUp(fleet), State.ABSENT, null, false);
            fleet.advance(ofSeconds(3));
            assertFound(form.lookUp(fleet), State.NOTHING, null, false);

            assertThat(fleet.origin().reads()).isZero();
            assertThat(fleet.cache(0).reloading()).isZero();
        }
    }

    @ForEach
    void expiredValueIsStaleAndARemovedOneIsNothing(Form form) throws Exception {
        Fleet fleet = fleet(true);
        fleet.cache(1).put("k", "v");
        assertFound(form.lookUp(fleet), State.VALUE, "v", false);
        fleet.cache(1).expire("k");
        assertFound(form.lookUp(fleet), State.VALUE, "v", true);
        fleet.cache(1).invalidate("k");
        assertFound(form.lookUp(fleet), State.NOTHING, null, false);
    }

    @Test
    void aHitTakesNoMoreRoundTripsThanAGet() {
        Fleet fleet = fleet(true);
        fleet.cache(1).put("k", "v");

        fleet.cache(0).lookup("k");
        assertThat(fleet.store().count(Call.READ)).isEqualTo(1);
        CompletableFuture<LookupResult<String>> near = fleet.cache(0).lookupAsync("k");

        assertThat(near).isCompleted();
        assertThat(fleet.store().count(Call.READ)).isEqualTo(1);
        assertThat(fleet.store().count(Call.LEASE)).as("requests for a fence").isZero();
        assertThat(fleet.listener().count(AnswerSource.STORE)).isEqualTo(1);
        assertThat(fleet.listener().count(AnswerSource.NEAR)).isEqualTo(1);
        fleet.cache(0).lookup("other");
        assertThat(fleet.store().count(Call.LEASE)).isEqualTo(1);
    }

    @ForEach
    void whatAppearsBeforeTheFenceIsTaken(Form form) throws Exception {
        Fleet fleet = fleet(true);
        fleet.store().before(Call.LEASE, () -> fleet.cache(1).put("k", "v"));

        LookupResult<String> result = form.lookUp(fleet);

        assertFound(result, State.VALUE, "v", false);
        assertThat(fleet.cache(0).put("k", "w", result.fence())).isTrue();
    }

    @ForEach
    void whatIsRemovedBeforeTheFenceHasNone(Form form) throws Exception {
        Fleet fleet = fleet(true);
        fleet.cache(1).put("k", "v");
        fleet.cache(1).expire("k");
        fleet.store().before(Call.LEASE, () -> fleet.cache(1).invalidate("k"));

        LookupResult<String> result = form.lookUp(fleet);

        assertFound(result, State.VALUE, "v", true);
        assertThat(fleet.cache(0).put("k", "w", result.fence())).isFalse();
        assertFound(form.lookUp(fleet), State.NOTHING, null, false);
    }

    @ForEach
    void lookUpBesideALoadFindsNothingAndDoesNotWait(Form form) throws Exception {
        Fleet fleet = fleet(false);
        var load = fleet.loading(1, "k");

        LookupResult<String> result = form.lookUp(fleet);

        assertFound(result, State.NOTHING, null, false);
        assertThat(fleet.cache(0).put("k", "by hand", result.fence())).isFalse();
        fleet.origin().open();
        assertThat(load.result()).isEqualTo("one");
        assertFound(form.lookUp(fleet), State.VALUE, "one", false);
    }

    @ForEach
    void copiesAnswerWhileTheStoreDoesNot(Form form) throws Exception {
        Fleet fleet = fleet(true);
        fleet.cache(1).put("k", "v");
        form.lookUp(fleet);
        fleet.store().refuse();
        fleet.advance(ofSeconds(11));

        assertFound(form.lookUp(fleet), State.VALUE, "v", true);
        fleet.advance(ofSeconds(19));
        LookupResult<String> nothing = form.lookUp(fleet);

        assertFound(nothing, State.NOTHING, null, false);
        fleet.store().heal();
        assertThat(fleet.cache(0).put("k", "w", nothing.fence())).isFalse();
    }

    @Test
    void aStoreThatGivesNoFenceDoesNotFailTheLookUp() {
        Fleet fleet = fleet(false);
        fleet.store().refuse(Call.LEASE);

        LookupResult<String> result = fleet.cache(0).lookup("k");

        assertFound(result, State.NOTHING, null, false);
        fleet.store().heal();
        assertThat(fleet.cache(0).put("k", "v", result.fence())).isFalse();
        assertFound(fleet.cache(0).lookup("k"), State.NOTHING, null, false);
    }

    @Test
    void keysThatCannotExistAreAbsentWithoutARead() {
        Fleet fleet = new Fleet(
                1,
                POLICY,
                builder -> builder.keyFilter(new SetFilter<>(Set.of("there"))).keyValidator(key -> !key.isEmpty()));
        fleets.add(fleet);

        assertFound(fleet.cache(0).lookup(""), State.ABSENT, null, false);
        LookupResult<String> filtered = fleet.cache(0).lookup("k");
        assertFound(filtered, State.ABSENT, null, false);
        assertThat(fleet.cache(0).put("k", "v", filtered.fence())).isFalse();

        assertThat(fleet.store().count(Call.READ) + fleet.store().count(Call.LEASE))
                .isZero();
    }

    @Test
    void interruptedCallerIsToldSoIfTheStoreDoesNotAnswer() {
        Fleet fleet = fleet(false);
        for (Call call : List.of(Call.READ, Call.LEASE)) {
            fleet.store().refuse(call);
            Thread.currentThread().interrupt();

            assertThatThrownBy(() -> fleet.cache(0).lookup("k")).isInstanceOf(WaitInterruptedException.class);

            assertThat(Thread.interrupted()).isTrue();
            fleet.store().heal();
        }
    }

    @Test
    void shortageOfConnectionsIsNoAnswer() throws Exception {
        for (Form form : Form.values()) {
            Fleet fleet = fleet(false);
            fleet.store().exhaust(Call.READ);

            assertFound(form.lookUp(fleet), State.NOTHING, null, false);
        }
    }

    @Test
    void futureFailsIfTheExecutorRejectsItsTask() {
        Fleet fleet = new Fleet(
                1,
                POLICY,
                builder -> builder.asyncExecutor(task -> {
                    throw new RejectedExecutionException("full");
                }));
        fleets.add(fleet);

        assertThatThrownBy(() -> fleet.cache(0).lookupAsync("k").get(1, TimeUnit.MINUTES))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(OriginBusyException.class)
                .hasMessageContaining("rejected");
    }

    @Test
    void futureFailsIfNoThreadIsFreeInTime() {
        List<Runnable> tasks = new ArrayList<>();
        Fleet fleet = new Fleet(1, POLICY, builder -> builder.asyncExecutor(tasks::add));
        fleets.add(fleet);
        CompletableFuture<LookupResult<String>> future = fleet.cache(0).lookupAsync("k");

        fleet.advance(POLICY.waitTimeout());
        assertThat(future).as("left to the executor").isNotDone();
        fleet.advance(ofMillis(50));
        until(future::isDone);

        assertThatThrownBy(future::get).hasCauseInstanceOf(OriginBusyException.class);
        tasks.forEach(Runnable::run);
        assertThat(fleet.store().count(Call.READ)).isZero();
    }

    @Test
    void closeFailsFuturesThatAreNotComplete() {
        List<Runnable> tasks = new ArrayList<>();
        Fleet fleet = new Fleet(1, POLICY, builder -> builder.asyncExecutor(tasks::add));
        fleets.add(fleet);
        CompletableFuture<LookupResult<String>> future = fleet.cache(0).lookupAsync("k");

        Fleet.closeAtOnce(fleet.cache(0));
        fleet.advance(ofMillis(50)); // the executor does nothing
        until(future::isDone);

        assertThatThrownBy(future::get)
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("cache 'fleet' was closed");
    }

    @Test
    void closeWaitsForALookUpThatReads() throws Exception {
        Fleet fleet = fleet(false);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        fleet.store().before(Call.READ, () -> {
            begun.countDown();
            Fleet.await(gate);
        });
        CompletableFuture<LookupResult<String>> future = fleet.cache(0).lookupAsync("k");
        begun.await();

        Callers.Call<Boolean> closing = fleet.closing(0);
        fleet.time().awaitWaiting(1);
        assertThat(closing.isOver()).isFalse();
        gate.countDown();

        assertThat(closing.result()).isTrue();
        assertFound(future.getNow(null), State.NOTHING, null, false);
    }

    @Test
    void futureFailsIfTheStoreDoesNotAnswerInTime() throws Exception {
        Fleet fleet = fleet(false);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        fleet.store().before(Call.READ, () -> {
            begun.countDown();
            Fleet.await(gate);
        });
        CompletableFuture<LookupResult<String>> future = fleet.cache(0).lookupAsync("k");
        begun.await();

        fleet.advance(POLICY.waitTimeout());
        until(future::isDone);
        gate.countDown();

        assertThatThrownBy(future::get).hasCauseInstanceOf(WaitTimeoutException.class);
    }

    @ForEach
    void futureThatItsOwnerCompletesReadsNothing(boolean cancels) {
        List<Runnable> tasks = new ArrayList<>();
        Fleet fleet = new Fleet(
                1, POLICY, builder -> builder.asyncExecutor(tasks::add).nearCache(NEAR));
        fleets.add(fleet);
        CompletableFuture<LookupResult<String>> future = fleet.cache(0).lookupAsync("k");

        assertThat(cancels ? future.cancel(true) : future.completeExceptionally(new AssertionError()))
                .isTrue();
        tasks.forEach(Runnable::run);

        assertThat(fleet.store().count(Call.READ)).isZero();
    }
}
