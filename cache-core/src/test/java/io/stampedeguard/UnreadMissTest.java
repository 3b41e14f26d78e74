package io.stampedeguard;

import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.Policies.withoutJitter;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.EventType;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testkit.BulkOrigin;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedCodec;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A cache whose recent reads mostly missed reads a key by the request for its lease, which may find an entry. */
final class UnreadMissTest {
    private static final int STREAK = 8;

    @AutoClose
    private final Fleet fleet = new Fleet(
            2, withoutJitter(ofMinutes(1), ofMinutes(3)).maxConcurrentLoads(1).build());

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);
    private int missed;

    /** Misses until the cache no longer reads before it requests a lease; returns how often it has read so far. */
    private int readsAfterMisses() {
        for (int i = 0; i < STREAK; i++) {
            cache.get("missed" + missed++);
        }
        return fleet.store().count(Call.READ);
    }

    @Test
    void missAfterAStreakIsOneRequestBeforeTheLoad() {
        int reads = readsAfterMisses();
        assertThat(reads).isEqualTo(STREAK);

        assertThat(cache.get("k")).isEqualTo("one");

        assertThat(fleet.store().count(Call.READ)).isEqualTo(reads);
        assertThat(fleet.store().count(Call.LEASE)).isEqualTo(STREAK + 1);
        assertThat(fleet.listener().count(EventType.STORE_ABSENT)).isEqualTo(STREAK + 1);
        assertThat(fleet.origin().reads()).isEqualTo(STREAK + 1);
    }

    @Test
    void anEntryThatTheRequestFindsIsAHit() {
        int reads = readsAfterMisses();
        fleet.cache(1).put("k", "put");

        assertThat(cache.get("k")).isEqualTo("put");

        assertThat(fleet.store().count(Call.READ)).isEqualTo(reads);
        assertThat(fleet.listener().count(AnswerSource.STORE)).isEqualTo(1);
        assertThat(fleet.listener().count(EventType.STORE_FRESH)).isEqualTo(1);
        assertThat(fleet.origin().reads()).isEqualTo(STREAK);
    }

    @Test
    void aHitIsFollowedByReadsUntilThereWereMoreMisses() {
        int reads = readsAfterMisses();
        fleet.cache(1).put("k", "put");

        cache.get("k");
        cache.get("k");

        assertThat(fleet.store().count(Call.READ)).isEqualTo(reads + 1);
    }

    @Test
    void oneHitAmongTenMissesChangesNothing() {
        readsAfterMisses();
        int reads = readsAfterMisses(); // as many as count
        fleet.cache(1).put("k", "put");

        cache.get("k");
        for (int i = 0; i < 9; i++) {
            cache.get("missed" + missed++);
        }

        assertThat(fleet.store().count(Call.READ)).isEqualTo(reads);
    }

    @Test
    void aStaleEntryThatTheRequestFindsIsServedAndReloaded() throws Exception {
        fleet.cache(1).put("k", "stale");
        fleet.advance(ofMinutes(1).plusSeconds(1));
        int reads = readsAfterMisses();

        assertThat(cache.get("k")).isEqualTo("stale");

        assertThat(fleet.store().count(Call.READ)).isEqualTo(reads);
        assertThat(fleet.listener().count(AnswerSource.STALE)).isEqualTo(1);
        Fleet.until(
                () -> { // a reload that comes before the only permit is free again is dropped, and rests
                    if (cache.reloading() == 0) {
                        fleet.advance(cache.policy().maxPollInterval());
                    }
                    return "one".equals(cache.get("k"));
                });
        assertThat(fleet.origin().reads()).isEqualTo(STREAK + 1);
    }

    @Test
    void anAbsentRowThatTheRequestFindsIsAnAnswer() {
        readsAfterMisses();
        fleet.cache(1).get("k", key -> null);

        assertThat(cache.get("k")).isNull();

        assertThat(fleet.listener().count(AnswerSource.NEGATIVE)).isEqualTo(1);
    }

    @Test
    void aHitDoesNotWaitForAPermit() throws Exception {
        readsAfterMisses();
        fleet.cache(1).put("k", "put");
        CountDownLatch loads = new CountDownLatch(1);
        CountDownLatch loaded = new CountDownLatch(1);
        Callers.Call<String> load = fleet.callers()
                .call(() -> cache.get("slow", key -> {
                    loads.countDown();
                    loaded.await();
                    return "slow";
                }));
        assertThat(loads.await(1, TimeUnit.MINUTES)).isTrue();

        assertThat(cache.get("k")).isEqualTo("put");

        loaded.countDown();
        assertThat(load.result()).isEqualTo("slow");
    }

    @Test
    void anEntryOfNoUseIsReadAndReplaced() {
        int reads = readsAfterMisses();
        on(fleet.store()).put("fleet:k", new byte[100], ofMinutes(1));

        assertThat(cache.get("k")).isEqualTo("one");
        assertThat(cache.get("k")).isEqualTo("one");

        assertThat(fleet.store().count(Call.READ)).isEqualTo(reads + 2);
        assertThat(fleet.origin().reads()).isEqualTo(STREAK + 1);
    }

    @Test
    void anUnansweredRequestIsFollowedByAReadAndGivenBack() throws Exception {
        int reads = readsAfterMisses();
        fleet.store().loseAnswers(Call.LEASE);
        fleet.store().before(Call.READ, () -> fleet.store().heal());

        Callers.Call<String> call = fleet.get(0, "k");
        fleet.advanceUntil(call::isOver, ofSeconds(1));

        assertThat(call.result()).isEqualTo("one");
        assertThat(fleet.store().count(Call.READ)).isGreaterThan(reads);
        assertThat(fleet.origin().reads()).isEqualTo(STREAK + 1);
        assertThat(fleet.cache(1).get("k")).isEqualTo("one");
    }

    @Test
    void aCopyComesBeforeAnUnleasedLoadAfterManyMisses() {
        CachePolicy policy = CachePolicy.builder().jitter(0).build();
        NearCacheOptions near = NearCacheOptions.builder().maximumSize(100).build();
        try (Fleet processes = new Fleet(1, policy, near)) {
            processes.cache(0).get("k");
            for (int i = 0; i < STREAK; i++) {
                processes.cache(0).get("missed" + i);
            }
            processes.store().cutChanges().mendChanges();
            int reads = processes.store().count(Call.READ);
            processes.store().refuse();
            processes.origin().write("two");

            assertThat(processes.cache(0).get("k")).isEqualTo("one");

            assertThat(processes.store().count(Call.READ)).isEqualTo(reads + 1);
            assertThat(processes.origin().reads()).isEqualTo(1 + STREAK);
        }
    }

    @Test
    void aKeyThatAnotherProcessLoadsIsWaitedFor() throws Exception {
        readsAfterMisses();
        fleet.origin().close();
        Callers.Call<String> other = fleet.get(1, "k");
        Fleet.until(() -> fleet.origin().running() == 1);

        Callers.Call<String> call = fleet.get(0, "k");
        Fleet.until(() -> fleet.store().watches() == 1);
        fleet.origin().open();

        assertThat(other.result()).isEqualTo("one");
        assertThat(call.result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(STREAK + 1);
    }

    /** Two processes, of which a decoded "slow" has something happen. */
    private static Fleet decoding(Consumer<Fleet> happening) {
        AtomicReference<Fleet> processes = new AtomicReference<>();
        ScriptedCodec codec = ScriptedCodec.decoding(value -> {
            if (value.equals("slow")) {
                happening.accept(processes.get());
            }
        });
        Fleet fleet = new Fleet(2, CachePolicy.builder().jitter(0).build(), builder -> builder.codec(codec));
        processes.set(fleet);
        fleet.cache(1).put("first", "the only one that is read back when it is stored");
        return fleet;
    }

    @Test
    void aLeaseThatEndsDuringADecodingIsRequestedAgain() {
        try (Fleet slow = decoding(processes -> processes.advance(ofSeconds(3)))) {
            BulkOrigin origin = slow.bulkOrigin();
            slow.store().before(Call.LEASE_ALL, () -> slow.cache(1).put("b", "slow"));

            slow.cache(0).getAll(List.of("a", "b"), origin);

            assertThat(origin.calls()).containsExactly(List.of("a"));
            assertThat(slow.cache(1).get("a", key -> "loaded again")).isEqualTo("a's");
        }
    }

    @Test
    void keyLoadedElsewhereDuringADecodingIsNotLoadedAgain() {
        try (Fleet slow = decoding(processes -> {
            processes.advance(ofSeconds(3));
            processes.cache(1).get("a", key -> "another's");
        })) {
            slow.store().before(Call.LEASE_ALL, () -> slow.cache(1).put("b", "slow"));

            slow.cache(0).getAll(List.of("a", "b"), slow.bulkOrigin());

            assertThat(slow.bulkOrigin().calls()).isEmpty();
        }
    }

    @Test
    void anErrorOfTheCodecReleasesTheLeasesOfTheOtherKeys() {
        try (Fleet full = decoding(processes -> {
            throw new OutOfMemoryError("thrown by the test");
        })) {
            full.store().before(Call.LEASE_ALL, () -> full.cache(1).put("b", "slow"));

            assertThatThrownBy(() -> full.cache(0).getAll(List.of("a", "b"), full.bulkOrigin()))
                    .isInstanceOf(OutOfMemoryError.class);

            Fleet.until(() -> full.store().done(Call.ABANDON) == 1);
            assertThat(full.cache(1).get("a")).isEqualTo("one");
        }
    }
}
