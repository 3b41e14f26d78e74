package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** A loader that never returns blocks only its own caller, and the key no longer than the loadTimeout. */
@Order(6)
final class EndlessLoaderTest {
    /** So long that the key works again only if the lease is given back at the loadTimeout. */
    private static final Duration LEASE = Duration.ofMinutes(1);

    private static final Duration LOAD_TIMEOUT = Duration.ofSeconds(2);
    /** Longer than a test waits for any answer: a caller without an answer at the loadTimeout makes the test fail. */
    private static final Duration WAIT = Duration.ofHours(1);

    /** Longer than the longest pause between polls: otherwise a waiting process may miss the failure. */
    private static final Duration COOL_DOWN = Duration.ofMillis(500);

    @AutoClose
    private CacheFleet fleet;

    @BeforeEach
    void start() throws InterruptedException {
        fleet = new CacheFleet(
                2,
                SharedRedis.uri(),
                CacheFleet.policy(LEASE, WAIT, 32)
                        .with("loadTimeoutMillis", LOAD_TIMEOUT.toMillis())
                        .with("coolDownMillis", COOL_DOWN.toMillis()));
    }

    @Test
    void loaderThatHearsItsInterruptEndsAtTheLoadTimeout() throws InterruptedException {
        begin("never");
        assertWaitersAreAnsweredAtTheLoadTimeout();

        assertThat(fleet.gotBy(fleet.member(0)).answers()).containsExactly("LoadTimeoutException");
        assertTheKeyWorksAgain();
    }

    @Test
    void loaderThatIgnoresItsInterruptHoldsItsOwnCallerAndNobodyElse() throws InterruptedException {
        begin("never, interrupted or not");
        assertWaitersAreAnsweredAtTheLoadTimeout();

        assertTheKeyWorksAgain();
    }

    private void begin(String endless) throws InterruptedException {
        fleet.write("endless", "row");
        fleet.order(List.of(fleet.member(0)), CacheFleet.get("endless", 1, 0).with("load", endless));
        fleet.awaitLoads("endless", 1);
    }

    /** A caller that is too late to wait, on a busy machine, has an endless load of its own. */
    private void assertWaitersAreAnsweredAtTheLoadTimeout() throws InterruptedException {
        Message waiters = CacheFleet.keepGetting("endless", 8, 0, 1, Duration.ZERO);
        fleet.order(fleet.everybody(), waiters.with("load", "never"));
        for (FleetMember member : fleet.everybody()) {
            CacheFleet.Kept waited = fleet.keptBy(member);
            assertThat(waited.answers()).isSubsetOf("LoadTimeoutException", "RecentLoadFailureException");
        }
    }

    /** In both processes, and with one more load. */
    private void assertTheKeyWorksAgain() throws InterruptedException {
        long loadsBefore = fleet.loads("endless");
        for (FleetMember member : fleet.everybody()) {
            String answer = "RecentLoadFailureException";
            while (answer.equals("RecentLoadFailureException")) {
                fleet.get(List.of(member), "endless", 1, 10);
                answer = fleet.gotBy(member).answers().get(0);
            }
            assertThat(answer).isEqualTo("row");
        }
        assertThat(fleet.loads("endless")).isEqualTo(loadsBefore + 1);
    }
}
