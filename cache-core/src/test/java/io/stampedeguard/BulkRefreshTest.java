package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.BulkOrigin;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Batches that are stale, or soon will be, are reloaded together, and no caller waits for that. */
final class BulkRefreshTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(ofSeconds(10))
            .failureCoolDown(ofMillis(200))
            .maxConcurrentLoads(1)
            .jitter(0)
            .build();

    private static final CachePolicy LONG_LEASES =
            POLICY.toBuilder().leaseTtl(ofSeconds(100)).build();

    @AutoClose
    private final Fleet fleet = new Fleet(2, POLICY);

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);
    private final BulkOrigin origin = fleet.bulkOrigin();

    @Test
    void staleBatchIsServedThenReloadedByOneLoaderCall() {
        cache.getAll(List.of("a", "b", "c"), origin);
        fleet.advance(ofSeconds(10));
        for (String key : List.of("a", "b", "c")) {
            origin.write(key, "new");
        }

        assertThat(cache.getAll(List.of("a", "b", "c"), origin)).containsValues("a's", "b's", "c's");

        until(() -> cache.reloading() == 0);
        assertThat(origin.calls()).containsExactly(List.of("a", "b", "c"), List.of("a", "b", "c"));
        assertThat(fleet.store().count(Call.LEASE_ALL)).isEqualTo(2);
        assertThat(cache.getAll(List.of("a", "b", "c"), origin))
                .containsEntry("a", "new")
                .hasSize(3);
    }

    @Test
    void missOnAHeldKeyIsLoadedDuringTheBatchReload() throws Exception {
        try (Fleet two = new Fleet(1, POLICY.toBuilder().maxConcurrentLoads(2).build())) {
            two.cache(0).getAll(List.of("a", "b"), two.bulkOrigin());
            two.advance(ofSeconds(10));
            LeaseToken elsewhere = LeaseToken.next();
            LeaseToken seen = LeaseToken.startOf(on(two.store()).read("fleet:b"));
            on(two.store()).lease("fleet:b", elsewhere, seen, ofSeconds(60));
            CountDownLatch gate = two.bulkOrigin().close();
            two.cache(0).getAll(List.of("a", "b"), two.bulkOrigin());
            until(() -> two.bulkOrigin().running() == 1);

            on(two.store()).invalidate("fleet:b");

            assertThat(two.get(0, "b").result()).isEqualTo("one");
            gate.countDown();
        }
    }

    @Test
    void dueNearCacheCopiesAreReloadedByOneLoaderCall() {
        try (Fleet near = Fleet.near(1, LONG_LEASES)) {
            loadSlowly(near, "a", "b");
            near.advance(ofSeconds(6));

            near.cache(0).getAll(List.of("a", "b"), near.bulkOrigin());

            until(() -> near.cache(0).reloading() == 0);
            assertThat(near.listener().count(AnswerSource.NEAR)).isEqualTo(2);
            assertThat(near.bulkOrigin().calls()).containsExactly(List.of("a", "b"), List.of("a", "b"));
        }
    }

    /** Loads keys for as long as makes each of them due after half of its soft TTL. */
    private static void loadSlowly(Fleet fleet, String... keys) {
        fleet.cache(0).getAll(List.of(keys), asked -> {
            fleet.advance(POLICY.softTtl().dividedBy(2).multipliedBy(keys.length));
            return fleet.bulkOrigin().loadAll(asked);
        });
    }

    @Test
    void loadTimeOfABatchIsDividedAmongItsKeys() {
        List<String> keys = IntStream.range(0, 200).mapToObj(i -> "k" + i).toList();
        try (Fleet slow =
                new Fleet(1, POLICY.toBuilder().leaseTtl(ofSeconds(10)).build())) {
            slow.cache(0).getAll(keys, asked -> {
                slow.advance(ofMillis(2_500));
                return slow.bulkOrigin().loadAll(asked);
            });

            for (String key : keys) {
                assertThat(Entry.decode(on(slow.store()).read("fleet:" + key)).loadMillis())
                        .isEqualTo(13);
            }
            slow.advance(ofMillis(6_000));
            for (String key : keys) {
                slow.cache(0).get(key, slow.bulkOrigin()::load);
            }
            until(() -> slow.cache(0).reloading() == 0);
            assertThat(slow.listener().count(EventType.REFRESH_EARLY))
                    .as("soon after half of the TTL")
                    .isZero();
        }
    }

    @Test
    void keyThatIsNotDueIsNotReloadedWithTheOthers() {
        try (Fleet due = new Fleet(1, LONG_LEASES)) {
            loadSlowly(due, "a", "b");
            due.advance(ofMillis(2_000));
            due.cache(0).getAll(List.of("c"), due.bulkOrigin());
            due.advance(ofMillis(3_100));

            due.cache(0).getAll(List.of("a", "b", "c"), due.bulkOrigin());

            until(() -> due.cache(0).reloading() == 0);
            assertThat(due.bulkOrigin().calls()).containsExactly(List.of("a", "b"), List.of("c"), List.of("a", "b"));
        }
    }

    @Test
    void keysAreReloadedOnceThoughManyBatchesFindThemStale() throws Exception {
        cache.getAll(List.of("a", "b", "c"), origin);
        fleet.advance(ofSeconds(10));
        origin.close();
        cache.getAll(List.of("a", "b"), origin);
        until(() -> origin.running() == 1);

        cache.getAll(List.of("b", "c"), origin);
        fleet.cache(1).getAll(List.of("a", "b", "c"), origin);
        origin.open();
        until(() -> cache.reloading() + fleet.cache(1).reloading() == 0);

        assertThat(origin.loads("a")).isEqualTo(2);
        assertThat(origin.loads("b")).isEqualTo(2);
        assertThat(origin.loads("c")).isEqualTo(2);
    }

    @Test
    void reloadOfABatchWithoutAPermitIsDroppedAndOfferedAgain() throws Exception {
        cache.getAll(List.of("a", "b"), origin);
        fleet.advance(POLICY.softTtl());
        origin.close();
        Callers.Call<Map<String, String>> slow = fleet.getAll(0, "slow");
        until(() -> origin.running() == 1);

        assertThat(cache.getAll(List.of("a", "b"), origin)).hasSize(2);
        until(() -> fleet.listener().count(EventType.REFRESH_DROPPED) == 2);
        origin.open();
        slow.result();
        until(() -> cache.reloading() == 0);
        fleet.advance(POLICY.maxPollInterval());
        cache.getAll(List.of("a", "b"), origin);

        until(() -> origin.calls().size() == 3);
        assertThat(origin.calls().get(2)).containsExactly("a", "b");
    }

    @Test
    void reloadsRestWhileTheirKeysCoolDown() {
        cache.getAll(List.of("a", "b"), origin);
        fleet.advance(POLICY.softTtl());
        origin.fail(new IOException("origin is down"));
        cache.getAll(List.of("a", "b"), origin);
        until(() -> cache.reloading() == 0);
        assertThat(cache.faults(FaultSource.LOADER)).isEqualTo(1);
        cache.getAll(List.of("a", "b"), origin);
        until(() -> cache.reloading() == 0);
        int asked = fleet.store().count(Call.LEASE_ALL);

        cache.getAll(List.of("a", "b"), origin);
        assertThat(cache.reloading()).isZero();
        assertThat(fleet.store().count(Call.LEASE_ALL)).isEqualTo(asked);
        assertThat(origin.calls()).hasSize(2);

        origin.fail(null);
        fleet.advance(ofMillis(200));
        cache.getAll(List.of("a", "b"), origin);
        until(() -> origin.calls().size() == 3);
    }

    @Test
    void closeEndsTheReloadOfABatchAndLeavesNoLease() {
        cache.getAll(List.of("a", "b"), origin);
        fleet.advance(POLICY.softTtl());
        origin.close();
        cache.getAll(List.of("a", "b"), origin);
        until(() -> origin.running() == 1);

        Fleet.closeAtOnce(cache);

        until(() -> cache.reloading() == 0);
        assertThat(on(fleet.store()).lease("fleet:b", LeaseToken.next(), null, ofSeconds(1)))
                .as("the stale entry is found, nobody holds the lease")
                .isInstanceOf(LeaseAttempt.Found.class);
        LeaseToken seen = LeaseToken.startOf(on(fleet.store()).read("fleet:b"));
        assertThat(on(fleet.store()).lease("fleet:b", LeaseToken.next(), seen, ofSeconds(1)))
                .isInstanceOf(LeaseAttempt.Granted.class);
    }
}
