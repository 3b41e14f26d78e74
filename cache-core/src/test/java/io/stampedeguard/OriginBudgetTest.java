package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ProxiedStore;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The processes of a fleet share one budget of concurrent loads. */
final class OriginBudgetTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .originBudget(8)
            .leaseTtl(ofSeconds(600))
            .loadTimeout(ofSeconds(600))
            .waitTimeout(ofSeconds(600))
            .build();

    /** The gauges of each process that is open. */
    private final List<CacheGauges> gauges = new ArrayList<>();

    private Fleet fleet;
    private int processes;

    /** The timers of running loads, and of the renewal of their leases. */
    private int otherTimers;

    private Fleet fleet(int number, CachePolicy policy) {
        fleet = new Fleet(number, policy);
        record(number);
        processes = number;
        settle(0);
        return fleet;
    }

    private void record(int number) {
        gauges.clear();
        IntStream.range(0, number).mapToObj(fleet::gauges).forEach(gauges::add);
    }

    @AfterEach
    void close() {
        if (fleet != null) {
            fleet.close();
        }
    }

    /** Lets every process announce itself once more. */
    private void round() {
        int before = fleet.store().done(Call.BEAT);
        fleet.advance(ofSeconds(2));
        settle(before);
    }

    private void settle(int before) {
        until(() -> fleet.store().done(Call.BEAT) == before + processes
                && fleet.time().timers() == processes + otherTimers);
    }

    /** Until a higher share applies. */
    private void rounds() {
        for (int i = 0; i < 6; i++) {
            round();
        }
    }

    private List<Integer> shares() {
        return gauges.stream().map(CacheGauges::loadPermits).toList();
    }

    private int sum() {
        return shares().stream().mapToInt(Integer::intValue).sum();
    }

    @Test
    void processAloneHasTheWholeBudgetWithItsFirstAnnouncement() {
        fleet(1, POLICY);

        assertThat(shares()).containsExactly(8);
        assertThat(gauges.get(0).fleetProcesses()).isEqualTo(1);
    }

    @Test
    void whatIsLeftOverIsGivenToTheFirstProcesses() {
        fleet(3, POLICY);
        rounds();

        assertThat(shares()).containsExactlyInAnyOrder(3, 3, 2);
        assertThat(gauges).allSatisfy(each -> assertThat(each.fleetProcesses()).isEqualTo(3));
    }

    @Test
    void shareIsBetweenOneAndWhatOneProcessMayLoad() {
        fleet(2, POLICY.toBuilder().maxConcurrentLoads(3).originBudget(40).build());
        rounds();
        assertThat(shares()).containsExactly(3, 3);
        fleet.close();

        fleet(3, POLICY.toBuilder().originBudget(2).build());
        rounds();
        assertThat(shares()).containsExactly(1, 1, 1);
    }

    @Test
    void loadsOfAllProcessesTogetherNeverExceedTheBudget() throws Exception {
        fleet(3, POLICY);
        rounds();
        fleet.origin().close();
        List<Callers.Call<String>> calls = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            calls.add(fleet.get(i % 3, "k" + i));
        }
        until(() -> gauges.stream().mapToInt(CacheGauges::waiting).sum() == 52);
        until(() -> fleet.origin().running() == 8);

        fleet.origin().open();
        assertThat(Callers.results(calls)).containsOnly("one");

        assertThat(fleet.origin().mostAtOnce()).isEqualTo(8);
        assertThat(fleet.origin().reads()).isEqualTo(60);
    }

    @Test
    void shareOfAProcessThatIsClosedGoesToTheOthers() {
        fleet(3, POLICY);
        rounds();

        fleet.cache(2).close();
        gauges.remove(2);
        processes = 2;
        for (int answer = 1; answer < 5; answer++) {
            round();
            assertThat(sum()).as("not before five answers agree").isLessThan(8);
        }
        round();

        assertThat(shares()).containsExactly(4, 4);
        assertThat(fleet.store().done(Call.LEAVE)).isEqualTo(1);
    }

    @Test
    void processThatDiesIsCountedUntilItsTimeIsOver() {
        fleet(1, POLICY);
        fleet.store().beat("fleet", "dead", ofSeconds(10));
        for (int second = 2; second < 10; second += 2) {
            round();
            assertThat(shares()).containsExactly(4);
        }

        rounds();

        assertThat(shares()).containsExactly(8);
    }

    @Test
    void lowerShareTakesEffectAsLoadsEnd() throws Exception {
        fleet(1, POLICY.toBuilder().originBudget(3).build());
        List<CountDownLatch> ends = new ArrayList<>();
        List<Callers.Call<String>> calls = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            ends.add(fleet.origin().close());
            calls.add(fleet.get(0, "k" + i));
            int running = Math.min(3, i + 1);
            until(() -> fleet.origin().running() == running);
        }
        fleet.time().awaitWaiting(1);
        otherTimers = 3 + 1;

        fleet.store().beat("fleet", "a process that joins", ofSeconds(600));
        round();
        int share = gauges.get(0).loadPermits();
        assertThat(share).isBetween(1, 2);
        assertThat(gauges.get(0).loadsRunning()).as("no load is cut off").isEqualTo(3);

        ends.get(0).countDown();
        calls.get(0).result();
        assertThat(gauges.get(0).loadsRunning()).isEqualTo(2);
        assertThat(gauges.get(0).waiting()).isEqualTo(1);
        ends.forEach(CountDownLatch::countDown);
        assertThat(Callers.results(calls)).containsOnly("one");
    }

    @Test
    void higherShareServesThoseThatWait() throws Exception {
        fleet(1, POLICY.toBuilder().originBudget(2).waitTimeout(ofSeconds(60)).build());
        fleet.store().beat("fleet", "another", ofSeconds(600));
        round();
        assertThat(shares()).containsExactly(1);
        Callers.Call<String> first = fleet.loading(0, "a");
        otherTimers = 1 + 1;
        Callers.Call<String> second = fleet.get(0, "b");
        fleet.time().awaitWaiting(1);

        fleet.store().leave("fleet", "another");
        for (int answer = 1; answer < 5; answer++) {
            round();
            assertThat(fleet.origin().running()).isEqualTo(1);
        }
        fleet.advance(ofSeconds(2));

        until(() -> fleet.origin().running() == 2);
        fleet.origin().open();
        assertThat(first.result()).isEqualTo(second.result());
    }

    @Test
    void whileTheStoreDoesNotAnswerTheLastSharesApply() {
        fleet(2, POLICY);
        rounds();
        fleet.store().refuse(Call.BEAT);

        for (int i = 0; i < 10; i++) {
            round();
            assertThat(shares()).containsExactly(4, 4);
        }

        assertThat(fleet.listener().count(FaultSource.STORE)).isEqualTo(20);
    }

    @Test
    void storeThatHasLostAllProcessesGivesNoneOfThemMore() {
        fleet(4, POLICY);
        rounds();
        fleet.store().refuse(Call.BEAT);
        for (int i = 0; i < 6; i++) {
            round();
        }
        fleet.store().heal();

        for (int i = 0; i < 6; i++) {
            round();
            assertThat(shares()).containsExactly(2, 2, 2, 2);
        }
    }

    @Test
    void untilTheFirstAnswerAProcessRunsOneLoadAtATime() {
        fleet = new Fleet(0, POLICY);
        fleet.store().refuse(Call.BEAT);
        try (StampedeGuardedCache<String, String> cache = fleet.builder("late").build()) {
            record(1);
            processes = 1;
            settle(0);
            rounds();
            assertThat(shares()).containsExactly(1);
            assertThat(gauges.get(0).fleetProcesses()).isZero();
            fleet.store().heal();

            round();

            assertThat(cache.policy().originBudget()).isEqualTo(8);
            assertThat(shares()).containsExactly(8);
        }
    }

    @Test
    void withoutABudgetNothingIsAnnounced() {
        fleet = new Fleet(2, CachePolicy.defaults());
        record(2);

        fleet.advance(ofSeconds(60));

        assertThat(fleet.time().timers()).isZero();
        fleet.close();
        assertThat(fleet.store().count(Call.BEAT) + fleet.store().count(Call.LEAVE))
                .isZero();
        assertThat(shares()).containsExactly(32, 32);
        assertThat(gauges).allSatisfy(each -> assertThat(each.fleetProcesses()).isZero());
    }

    @Test
    void storeThatCannotCountProcessesIsRefused() {
        SharedStore plain = ProxiedStore.of((method, arguments) -> null);

        assertThatThrownBy(() -> textCache("products", plain).policy(POLICY).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'products'")
                .hasMessageContaining("originBudget 8")
                .hasMessageContaining("FleetMembers");
    }
}
