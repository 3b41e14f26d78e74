package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testkit.BulkOrigin;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** P6 for many keys: keys that the store does not answer are loaded without it; the others are not affected. */
final class BulkStoreTroubleTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(ofSeconds(10))
            .leaseTtl(ofMillis(500))
            .waitTimeout(ofSeconds(1))
            .jitter(0)
            .build();

    private final Fleet fleet = new Fleet(1, POLICY);
    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);
    private final BulkOrigin origin = fleet.bulkOrigin();

    @AfterEach
    void close() {
        fleet.close();
    }

    @Test
    void deadStoreMeansOneLoadForAllAtATime() throws Exception {
        fleet.store().refuse();
        cache.getAll(List.of("x", "y"), origin); // the second unanswered request: the store is down
        int asked = fleet.store().count(Call.LEASE_ALL);
        origin.close();
        List<Callers.Call<Map<String, String>>> calls =
                fleet.callers().call(16, () -> cache.getAll(List.of("a", "b"), origin));
        until(() -> origin.running() + fleet.time().waiting() == 16); // one leads both keys, or each leads one
        origin.open();

        for (Callers.Call<Map<String, String>> call : calls) {
            assertThat(call.result()).hasSize(2);
        }
        assertThat(origin.loads("a")).isEqualTo(1);
        assertThat(origin.loads("b")).isEqualTo(1);
        assertThat(fleet.store().count(Call.LEASE_ALL))
                .as("a store that is down is not asked again after the read")
                .isEqualTo(asked);
        until(() -> cache.faults(FaultSource.STORE) == 3 + 16); // a read and two leases, requested and given back
    }

    @Test
    void keyThatManyBatchesCameUponHeldIsLoadedOnceAtATimeWhenItsLeaseCanNoLongerBeAlive() throws Exception {
        on(fleet.store()).lease("fleet:shared", LeaseToken.next(), null, ofSeconds(60));
        CountDownLatch own = origin.close();
        List<Callers.Call<Map<String, String>>> batches = new ArrayList<>();
        for (String key : List.of("a", "b", "c", "d")) {
            batches.add(fleet.getAll(0, key, "shared"));
        }
        until(() -> origin.running() == 4);
        fleet.store().refuse();
        origin.close();
        own.countDown();
        fleet.time().awaitWaiting(4);
        assertThat(origin.loads("shared")).isZero();
        fleet.advance(POLICY.leaseTtl());
        until(() -> origin.running() + fleet.time().waiting() == 4 && origin.loads("shared") > 0);
        origin.open();

        for (Callers.Call<Map<String, String>> batch : batches) {
            assertThat(batch.result()).hasSize(2).containsEntry("shared", "shared's");
        }
        assertThat(origin.loads("shared")).isEqualTo(1);
    }

    @Test
    void keysThatTheStoreDoesNotAnswerForAreLoadedWithTheOthersAndNotStored() {
        cache.put("a", "put");
        fleet.store().leaveUnanswered("fleet:b");

        assertThat(cache.getAll(List.of("a", "b", "c"), origin))
                .containsExactly(Map.entry("a", "put"), Map.entry("b", "b's"), Map.entry("c", "c's"));

        assertThat(origin.calls()).containsExactly(List.of("b", "c"));
        fleet.store().heal();
        assertThat(on(fleet.store()).read("fleet:b")).isNull();
        assertThat(on(fleet.store()).read("fleet:c")).isNotNull();
        assertThat(fleet.listener().count(EventType.STORE_UNAVAILABLE)).isEqualTo(1);
        assertThat(fleet.listener().faults().get(0)).hasMessage("the store did not answer for 1 of 3 keys");
    }

    @Test
    void leaseThatWasNotAnsweredIsGivenBackAndItsValueNotStored() {
        fleet.store().before(Call.LEASE_ALL, () -> fleet.store().loseAnswers(Call.LEASE_ALL));

        assertThat(cache.getAll(List.of("a", "b"), origin)).hasSize(2);

        until(() -> fleet.store().done(Call.ABANDON_ALL) == 2); // each request was sent twice
        fleet.store().heal();
        for (String key : List.of("fleet:a", "fleet:b")) {
            assertThat(on(fleet.store()).read(key)).isNull();
            assertThat(on(fleet.store()).lease(key, LeaseToken.next(), null, ofSeconds(1)))
                    .isInstanceOf(LeaseAttempt.Granted.class);
        }
        assertThat(fleet.listener().count(EventType.LOAD_NOT_STORED)).isEqualTo(2);
    }

    @Test
    void oneLeaseThatWasNotAnsweredCostsTheOthersNothing() {
        fleet.store().after(Call.READ_ALL, () -> fleet.store().leaveUnanswered("fleet:b"));

        assertThat(cache.getAll(List.of("a", "b", "c"), origin)).hasSize(3);

        assertThat(origin.calls()).hasSize(1);
        fleet.store().heal();
        assertThat(on(fleet.store()).read("fleet:a")).isNotNull();
        assertThat(on(fleet.store()).read("fleet:b")).isNull();
        assertThat(on(fleet.store()).read("fleet:c")).isNotNull();
        assertThat(fleet.listener().count(EventType.LEASE_UNAVAILABLE))
                .as("it was asked twice")
                .isEqualTo(2);
    }

    @Test
    void callersOfAKeyWithoutALeaseDoNotWaitForThePublicationOfTheOthers() throws Exception {
        List<String> keys = IntStream.range(0, 200).mapToObj(i -> "k" + i).toList();
        CompletableFuture<Void> published = new CompletableFuture<>();
        fleet.store().leaveUnanswered("fleet:k199").before(Call.PUBLISH_ALL, published::join);
        origin.close();
        Callers.Call<Map<String, String>> batch = fleet.callers().call(() -> cache.getAll(keys, origin));
        until(() -> origin.running() == 1);
        Callers.Call<String> other = fleet.callers().call(() -> cache.get("k199", origin::load));
        until(() -> fleet.time().waiting() == 1);

        origin.open();

        assertThat(other.result()).isEqualTo("k199's");
        published.complete(null);
        assertThat(batch.result()).hasSize(200);
        assertThat(origin.loads("k199")).isEqualTo(1);
    }

    @Test
    void publishThatWasNotAnsweredGivesItsLeaseBackAndCostsNoAnswer() {
        fleet.store().before(Call.PUBLISH_ALL, () -> fleet.store().leaveUnanswered("fleet:b"));

        assertThat(cache.getAll(List.of("a", "b", "c"), origin)).hasSize(3);

        until(() -> fleet.store().done(Call.ABANDON) == 1);
        fleet.store().heal();
        assertThat(on(fleet.store()).lease("fleet:b", LeaseToken.next(), null, ofSeconds(1)))
                .isInstanceOf(LeaseAttempt.Granted.class);
        assertThat(on(fleet.store()).read("fleet:c")).isNotNull();
        assertThat(fleet.listener().count(EventType.LOAD_NOT_STORED)).isEqualTo(1);
        assertThat(fleet.listener().count(EventType.LOAD_STORED)).isEqualTo(2);
    }

    @Test
    void storeThatDiesBeforeThePublicationCostsNoAnswerAndNoLease() {
        fleet.store().refuse(Call.PUBLISH_ALL);

        assertThat(cache.getAll(List.of("a", "b"), origin)).hasSize(2);

        until(() -> fleet.store().done(Call.ABANDON_ALL) == 1);
        assertThat(on(fleet.store()).lease("fleet:b", LeaseToken.next(), null, ofSeconds(1)))
                .isInstanceOf(LeaseAttempt.Granted.class);
    }

    @Test
    void storeThatDiesBeforeTheFailureIsNotedCostsNoMoreThanTheLeases() {
        fleet.store().refuse(Call.FAIL_ALL);
        origin.fail(new IOException("origin is down"));

        assertThatThrownBy(() -> cache.getAll(List.of("a", "b"), origin)).isInstanceOf(BulkLoadException.class);

        origin.fail(null);
        until(() -> fleet.store().done(Call.ABANDON_ALL) == 1);
        assertThat(cache.getAll(List.of("a", "b"), origin)).hasSize(2);
    }

    @Test
    void interruptWhileTheStoreIsAskedEndsTheCall() throws Exception {
        fleet.store().before(Call.READ_ALL, () -> Thread.currentThread().interrupt());
        fleet.store().refuse(Call.READ_ALL);
        Callers.Call<Boolean> call = fleet.callers().call(() -> {
            BulkLoadException e =
                    catchThrowableOfType(BulkLoadException.class, () -> cache.getAll(List.of("a", "b"), origin));
            assertThat(e.failures()).containsOnlyKeys("a", "b");
            assertThat(e).hasCauseInstanceOf(WaitInterruptedException.class);
            return Thread.interrupted();
        });

        assertThat(call.result()).as("the flag is set").isTrue();
        assertThat(origin.calls()).isEmpty();
    }

    @Test
    void interruptWhileLeasesAreAskedForGivesBackWhatMayHaveBeenGranted() throws Exception {
        fleet.store().after(Call.LEASE_ALL, () -> Thread.currentThread().interrupt());
        fleet.store().loseAnswers(Call.LEASE_ALL);
        Callers.Call<BulkLoadException> call = fleet.callers()
                .call(() ->
                        catchThrowableOfType(BulkLoadException.class, () -> cache.getAll(List.of("a", "b"), origin)));

        assertThat(call.result()).hasCauseInstanceOf(WaitInterruptedException.class);
        assertThat(origin.calls()).isEmpty();
        until(() -> fleet.store().done(Call.ABANDON_ALL) == 1);
        fleet.store().heal();
        assertThat(on(fleet.store()).lease("fleet:a", LeaseToken.next(), null, ofSeconds(1)))
                .isInstanceOf(LeaseAttempt.Granted.class);
    }

    @Test
    void copiesReadAMomentAgoComeBeforeTheLoaderWhileTheStoreIsDead() {
        try (Fleet near = near()) {
            near.cache(0).getAll(List.of("a", "b"), near.bulkOrigin());
            near.store().cutChanges().refuse();

            assertThat(near.cache(0).getAll(List.of("a", "b"), near.bulkOrigin()))
                    .hasSize(2);
            assertThat(near.bulkOrigin().calls()).hasSize(1);
            assertThat(near.listener().count(AnswerSource.NEAR_DEGRADED)).isEqualTo(2);
        }
    }

    @Test
    void olderCopiesComeBeforeAnExceptionWhileTheStoreIsDead() {
        try (Fleet near = near()) {
            near.cache(0).getAll(List.of("a"), near.bulkOrigin());
            near.store().cutChanges().refuse();
            near.advance(ofSeconds(3));
            near.bulkOrigin().fail(new IOException("origin is down"));

            BulkLoadException e = catchThrowableOfType(
                    BulkLoadException.class, () -> near.cache(0).getAll(List.of("a", "b"), near.bulkOrigin()));

            assertThat(e.values()).containsExactly(Map.entry("a", "a's"));
            assertThat(e.failures()).containsOnlyKeys("b");
        }
    }

    private static Fleet near() {
        return new Fleet(1, POLICY, NearCacheOptions.builder().maximumSize(100).build());
    }

    @Test
    void staleBatchIsServedAndNotReloadedWithoutLeases() {
        cache.getAll(List.of("a", "b"), origin);
        fleet.advance(ofSeconds(10));
        fleet.store().refuse(Call.LEASE_ALL);

        assertThat(cache.getAll(List.of("a", "b"), origin)).hasSize(2);

        until(() -> cache.reloading() == 0);
        assertThat(origin.calls()).hasSize(1);
        assertThat(fleet.listener().count(EventType.LEASE_UNAVAILABLE)).isEqualTo(2);
    }

    @Test
    void valueThatCannotBeEncodedIsReturnedAndTheOthersStored() {
        ValueCodec<String> choosy = new ValueCodec<>() {
            @Override
            public byte[] encode(String value) throws Exception {
                if (value.startsWith("b")) {
                    throw new IllegalArgumentException("not this one");
                }
                return StringCodec.of().encode(value);
            }

            @Override
            public String decode(ByteBuffer bytes) throws Exception {
                return StringCodec.of().decode(bytes);
            }
        };
        try (StampedeGuardedCache<String, String> odd = StampedeGuardedCache.<String, String>builder("odd")
                .store(fleet.store())
                .codec(choosy)
                .timeSource(fleet.time())
                .build()) {
            assertThat(odd.getAll(List.of("a", "b"), origin)).hasSize(2);
            assertThat(on(fleet.store()).read("odd:a")).isNotNull();
            assertThat(on(fleet.store()).lease("odd:b", LeaseToken.next(), null, ofSeconds(1)))
                    .isInstanceOf(LeaseAttempt.NotCacheable.class);
        }
    }

    @Test
    void withoutNegativeCachingAbsentKeysAreNotStoredAndLeaveNoLease() {
        CachePolicy forgetful = POLICY.toBuilder().negativeTtl(Duration.ZERO).build();
        try (Fleet fresh = new Fleet(1, forgetful)) {
            fresh.bulkOrigin().remove("b");
            fresh.bulkOrigin().remove("c");

            assertThat(fresh.cache(0).getAll(List.of("a", "b", "c"), fresh.bulkOrigin()))
                    .containsOnlyKeys("a");
            assertThat(fresh.cache(0).getAll(List.of("a", "b", "c"), fresh.bulkOrigin()))
                    .containsOnlyKeys("a");

            assertThat(fresh.bulkOrigin().calls()).containsExactly(List.of("a", "b", "c"), List.of("b", "c"));
        }
    }

    @Test
    void leasesThatEndedWhileAPartOfTheStoreKeptItsAnswersBackAreAskedForAnew() {
        fleet.store().leaveUnanswered("fleet:b").after(Call.LEASE_ALL, () -> {
            fleet.advance(POLICY.leaseTtl());
            cache.put("a", "put by another");
        });

        assertThat(cache.getAll(List.of("a", "b", "c"), origin)).containsEntry("a", "put by another");

        assertThat(origin.calls()).containsExactly(List.of("b", "c"));
        assertThat(on(fleet.store()).read("fleet:c")).isNotNull();
    }

    @Test
    void leasesAreGivenBackIfNoConnectionComesFreeToAskForTheOthers() {
        fleet.store().after(Call.READ_ALL, () -> fleet.store().leaveUnanswered("fleet:c"));
        fleet.store().after(Call.LEASE_ALL, () -> fleet.store().exhaust(Call.LEASE));

        assertThatThrownBy(() -> cache.getAll(List.of("a", "b", "c"), origin)).isInstanceOf(BulkLoadException.class);

        until(() -> fleet.store().done(Call.ABANDON_ALL) == 1);
        fleet.store().heal();
        assertThat(on(fleet.store()).lease("fleet:a", LeaseToken.next(), null, ofSeconds(1)))
                .isInstanceOf(LeaseAttempt.Granted.class);
    }
}
