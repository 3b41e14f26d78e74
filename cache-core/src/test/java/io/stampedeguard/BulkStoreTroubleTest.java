package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.BulkOrigin;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedCodec;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** P6 for many keys: keys that the store does not answer are loaded without it; the others are not affected. */
final class BulkStoreTroubleTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(ofSeconds(10))
            .leaseTtl(ofMillis(500))
            .waitTimeout(ofSeconds(1))
            .jitter(0)
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(1, POLICY);

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);
    private final BulkOrigin origin = fleet.bulkOrigin();

    @Test
    void heldKeyOfManyBatchesIsLoadedOnceAfterLeaseTtl() throws Exception {
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
    void unansweredKeysAreLoadedWithTheOthersAndNotStored() {
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
    void keyWithoutALeaseIsAnsweredBeforeOthersArePublished() throws Exception {
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
    void unansweredPublishReleasesItsLeaseAndCostsNoAnswer() {
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
    void valueThatCannotBeEncodedIsReturnedAndTheOthersStored() {
        ScriptedCodec choosy = ScriptedCodec.encoding(value -> assertThat(value).doesNotStartWith("b"));
        try (StampedeGuardedCache<String, String> odd =
                fleet.builder("odd").codec(choosy).build()) {
            assertThat(odd.getAll(List.of("a", "b"), origin)).hasSize(2);

            assertThat(on(fleet.store()).read("odd:a")).isNotNull();
            assertThat(on(fleet.store()).lease("odd:b", LeaseToken.next(), null, ofSeconds(1)))
                    .isInstanceOf(LeaseAttempt.NotCacheable.class);
        }
    }

    @Test
    void leasesThatEndDuringAPartialAnswerAreRequestedAgain() {
        fleet.store().leaveUnanswered("fleet:b").after(Call.LEASE_ALL, () -> {
            fleet.advance(POLICY.leaseTtl());
            cache.put("a", "put by another");
        });

        assertThat(cache.getAll(List.of("a", "b", "c"), origin)).containsEntry("a", "put by another");

        assertThat(origin.calls()).containsExactly(List.of("b", "c"));
        assertThat(on(fleet.store()).read("fleet:c")).isNotNull();
    }

    @Test
    void leasesAreReleasedIfTheOthersGetNoConnection() {
        fleet.store().after(Call.READ_ALL, () -> fleet.store().leaveUnanswered("fleet:c"));
        fleet.store().after(Call.LEASE_ALL, () -> fleet.store().exhaust(Call.LEASE));

        assertThatThrownBy(() -> cache.getAll(List.of("a", "b", "c"), origin)).isInstanceOf(BulkLoadException.class);

        until(() -> fleet.store().done(Call.ABANDON_ALL) == 1);
        fleet.store().heal();
        assertThat(on(fleet.store()).lease("fleet:a", LeaseToken.next(), null, ofSeconds(1)))
                .isInstanceOf(LeaseAttempt.Granted.class);
    }
}
