package io.stampedeguard;

import static io.stampedeguard.testkit.Policies.withoutJitter;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** A caller who comes when another one of its process has just found nothing waits for the load, without a read of its own. */
final class FollowedMissTest {
    @AutoClose
    private final Fleet fleet = new Fleet(
            2, withoutJitter(ofMinutes(1), ofMinutes(3)).maxConcurrentLoads(1).build());

    private Callers.Call<String> waiting() {
        int waiting = fleet.time().waiting();
        Callers.Call<String> call = fleet.get(0, "k");
        Fleet.until(() -> fleet.time().waiting() > waiting);
        return call;
    }

    @Test
    void whoComesDuringALoadThatHasJustBegunSendsNothing() throws Exception {
        Callers.Call<String> leader = fleet.loading(0, "k");
        Callers.Call<String> follower = waiting();

        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(follower.result()).isEqualTo("one");
        assertThat(fleet.store().count(Call.READ)).isEqualTo(1);
        assertThat(fleet.listener().count(AnswerSource.COALESCED)).isEqualTo(1);
    }

    @Test
    void whoComesDuringTheRequestForTheLeaseSendsNothing() throws Exception {
        AtomicReference<Callers.Call<String>> follower = new AtomicReference<>();
        fleet.store().before(Call.LEASE, () -> {
            if (follower.get() == null) {
                follower.set(waiting());
            }
        });

        assertThat(fleet.get(0, "k").result()).isEqualTo("one");

        assertThat(follower.get().result()).isEqualTo("one");
        assertThat(fleet.store().count(Call.READ)).isEqualTo(1);
    }

    @Test
    void whoComesAfterARequestWithoutAnAnswerReads() throws Exception {
        fleet.store().refuse(Call.LEASE);
        fleet.origin().close();
        Callers.Call<String> leader = fleet.get(0, "k");
        Fleet.until(() -> fleet.origin().running() == 1);
        int reads = fleet.store().count(Call.READ);

        Callers.Call<String> later = waiting();

        assertThat(fleet.store().count(Call.READ)).isEqualTo(reads + 1);
        fleet.origin().open();
        assertThat(leader.result()).isEqualTo("one");
        assertThat(later.result()).isEqualTo("one");
    }

    @Test
    void whoComesWhileAnotherProcessLoadsReadsOnceAtMost() throws Exception {
        Callers.Call<String> other = fleet.loading(1, "k");
        Callers.Call<String> leader = waiting();
        Fleet.until(() -> fleet.store().count(Call.LEASE) == 3); // again, once it is subscribed
        int reads = fleet.store().count(Call.READ);
        Callers.Call<String> follower = waiting();

        fleet.origin().open();

        assertThat(other.result()).isEqualTo("one");
        assertThat(leader.result()).isEqualTo("one");
        assertThat(follower.result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(fleet.store().count(Call.READ) - reads).isLessThanOrEqualTo(1);
    }

    @Test
    void whoComesLaterReadsAndGetsWhatWasPutMeanwhile() throws Exception {
        Callers.Call<String> leader = fleet.loading(0, "k");
        fleet.cache(1).put("k", "put");
        fleet.advance(ofMillis(51));

        assertThat(fleet.get(0, "k").result()).isEqualTo("put");

        fleet.origin().open();
        assertThat(leader.result()).isEqualTo("one");
    }

    @Test
    void followerThatComesAfterAPutGetsItsValue() throws Exception {
        Callers.Call<String> leader = fleet.loading(0, "k");
        fleet.cache(1).put("k", "put");
        Callers.Call<String> follower = waiting();

        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(follower.result()).isEqualTo("put");
    }

    @Test
    void whoComesWhileTheLeaderQueuesForAPermitReads() throws Exception {
        fleet.origin().close();
        Callers.Call<String> other = fleet.get(0, "other");
        Fleet.until(() -> fleet.origin().running() == 1);
        Callers.Call<String> leader = waiting();
        fleet.cache(1).put("k", "put");

        assertThat(fleet.get(0, "k").result()).isEqualTo("put");

        fleet.origin().open();
        other.result();
        assertThat(leader.result()).isEqualTo("put");
    }

    @Test
    void afterAChangeByItsProcessACallerReads() throws Exception {
        Callers.Call<String> leader = fleet.loading(0, "k");
        fleet.cache(0).put("k", "put");

        assertThat(fleet.get(0, "k").result()).isEqualTo("put");

        fleet.origin().open();
        leader.result();
    }

    /** Asynchronous callers, who read the store before their call returns. */
    @Nested
    final class Asynchronous {
        private final AtomicReference<Runnable> onValidation = new AtomicReference<>(() -> {});

        private final StampedeGuardedCache<String, String> cache = fleet.builder("fleet")
                .asyncExecutor(Runnable::run)
                .keyValidator(key -> {
                    onValidation.getAndSet(() -> {}).run();
                    return true;
                })
                .build();

        @AfterEach
        void close() {
            fleet.origin().open();
            Fleet.closeAtOnce(cache);
        }

        private Callers.Call<String> loading() {
            fleet.origin().close();
            Callers.Call<String> leader = fleet.callers().call(() -> cache.get("k", fleet.origin()::read));
            Fleet.until(() -> fleet.origin().running() == 1);
            return leader;
        }

        @Test
        void whoComesDuringALoadThatHasJustBegunSendsNothing() throws Exception {
            Callers.Call<String> leader = loading();
            CompletableFuture<String> follower = cache.getAsync("k");
            assertThat(follower).isNotDone();

            fleet.origin().open();

            assertThat(leader.result()).isEqualTo("one");
            assertThat(Callers.result(follower)).isEqualTo("one");
            assertThat(fleet.store().count(Call.READ)).isEqualTo(1);
            assertThat(fleet.listener().count(AnswerSource.COALESCED)).isEqualTo(1);
        }

        @Test
        void whoComesLaterReadsAndGetsWhatWasPutMeanwhile() throws Exception {
            Callers.Call<String> leader = loading();
            fleet.cache(1).put("k", "put");
            fleet.advance(ofMillis(51));

            assertThat(Callers.result(cache.getAsync("k"))).isEqualTo("put");

            fleet.origin().open();
            assertThat(leader.result()).isEqualTo("one");
        }

        @Test
        void whoseFlightHasJustEndedReadsAndLeadsNone() throws Exception {
            Callers.Call<String> leader = loading();
            onValidation.set(() -> {
                fleet.origin().open();
                Fleet.until(leader::isOver);
            });

            assertThat(Callers.result(cache.getAsync("k"))).isEqualTo("one");

            assertThat(fleet.store().count(Call.READ)).isEqualTo(2);
            assertThat(fleet.store().count(Call.LEASE)).isEqualTo(1);
        }

        @Test
        void aRefreshDuringALoadReads() throws Exception {
            Callers.Call<String> leader = loading();
            CompletableFuture<String> refresh = cache.refresh("k");
            assertThat(fleet.store().count(Call.READ)).isEqualTo(2);

            fleet.origin().open();

            assertThat(leader.result()).isEqualTo("one");
            assertThat(Callers.result(refresh)).isEqualTo("one");
            assertThat(fleet.origin().reads()).isEqualTo(2);
        }
    }

    @Test
    void asynchronousGetByALoaderFindsAPutForItsKey() throws Exception {
        StampedeGuardedCache<String, String> cache = fleet.cache(0);

        String loaded = cache.get("k", key -> {
            fleet.cache(1).put(key, "put");
            return Callers.result(cache.getAsync(key));
        });

        assertThat(loaded).isEqualTo("put");
    }
}
