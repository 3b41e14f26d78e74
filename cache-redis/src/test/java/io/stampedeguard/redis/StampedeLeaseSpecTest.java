package io.stampedeguard.redis;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The specification of the lease protocol, {@code docs/protocol}: TLC proves its properties, and refutes each mistake. */
@Order(4)
final class StampedeLeaseSpecTest extends SpecificationTest {
    private static final Duration LONG_DEADLINE = Duration.ofHours(2);

    /** A property of single steps, which TLC calls an action property: it names it, but exits as for a temporal one. */
    private static final String NO_FIGHT = "NoFight";

    /** Each mistake, and the property that it breaks. */
    private static final Map<String, String> REFUTED = Map.ofEntries(
            entry("publish-without-token-check", "P2_NothingOlder"),
            entry("loser-stored", "P1_LosersAreFenced"),
            entry("abandon-without-token-check", "P1_OneLoad"),
            entry("no-renewal", "P1_OneLoad"),
            entry("lock-without-ttl", "EveryGetEnds"),
            entry("no-question-after-subscribing", "EveryGetEnds"),
            entry("another-holder-will-do", "EveryGetEnds"),
            entry("message-before-the-look-answers", "P2_NothingOlder"),
            entry("message-not-matched", "P2_NothingOlder"),
            entry("refused-load-answers-all", "P2_NothingOlder"),
            entry("follower-loads", "P3_OnlyLeadersLoad"),
            entry("marker-never-ends", "FailuresFade"),
            entry("no-connection-means-no-store", "P3_OnlyLeadersLoad"),
            entry("unanswered-means-free", "P3_OnlyLeadersLoad"),
            entry("same-token-again", "P2_NothingOlder"),
            entry("renewals-wait-for-each-other", "P1_OneLoad"),
            entry("no-renewal-while-encoding", "P1_OneLoad"),
            entry("unstored-load-frees-the-lease-only", "P8_NobodyQueues"),
            entry("lengths-are-not-carried", "EveryGetEnds"),
            entry("renewal-forgets-who-waits", "EveryGetEnds"),
            entry("looks-before-it-takes", "P1_NothingLoadedTwice"),
            entry("overwrites-what-it-cannot-read", NO_FIGHT),
            entry("put-at-any-time", "P2_NothingOlder"));

    /** The actions that need one of the failures in {@code PressureEnds.cfg}, which {@code StampedeLease.cfg} leaves out. */
    private static final Set<String> UNDER_PRESSURE_ONLY = Set.of(
            "NoConnection", "Unanswered", "Arrives", "StallElsewhere", "NotStored", "Return", "ClockBack", "PassEnds");

    StampedeLeaseSpecTest() {
        super("StampedeLease", "broken", REFUTED);
    }

    /** Together with {@link #eachGetEndsUnderPressure}, each action of the specification is taken. */
    @Test
    void protocolHoldsWhatItPromisesWhateverHappens() throws Exception {
        TlcRun run = checkActions("StampedeLease");

        assertHolds(run, 35_000);
        assertThat(run.actionsNeverTaken()).as(run.output()).containsExactlyInAnyOrderElementsOf(UNDER_PRESSURE_ONLY);
    }

    @Test
    @Tag("proof")
    void protocolHoldsWhatItPromisesToThreeProcesses() throws Exception {
        assertHolds(check("ThreeProcesses", DEADLINE), 73_000);
    }

    @Test
    @Tag("proof")
    void protocolHoldsWhatItPromisesUnderPressure() throws Exception {
        assertHolds(check("Pressure", DEADLINE), 39_000);
    }

    @Test
    @Tag("proof")
    void nobodyQueuesForResultsThatAreNotStored() throws Exception {
        assertHolds(check("Unstored", DEADLINE, BRIEF), 3_500);
    }

    @Test
    @Tag("proof")
    void eachGetEndsUnderPressure() throws Exception {
        TlcRun run = checkActions("PressureEnds");

        assertHolds(run, 69_000);
        assertThat(run.actionsNeverTaken()).as(run.output()).doesNotContainAnyElementsOf(UNDER_PRESSURE_ONLY);
    }

    @Test
    @Tag("proof")
    void protocolHoldsWhatItPromisesToProcessesOfTwoVersions() throws Exception {
        assertHolds(check("Versions", DEADLINE), 142_000);
    }

    @Test
    @Tag("proof")
    void eachGetEndsInAFleetOfTwoVersions() throws Exception {
        assertHolds(check("VersionsEnd", DEADLINE), 38_000);
    }

    @Test
    @Tag("proof")
    void protocolHoldsWhatItPromisesToThoseWhoAreWokenUp() throws Exception {
        assertHolds(check("WakeUp", DEADLINE), 103_000);
    }

    @Test
    @Tag("proof")
    void protocolHoldsWhatItPromisesToThoseWhoShareALoad() throws Exception {
        assertHolds(check("Passengers", DEADLINE), 139_000);
    }

    @Test
    @Tag("chaos")
    void protocolHoldsWhatItPromisesInALargeFleet() throws Exception {
        assertHolds(check("Large", LONG_DEADLINE), 500_000);
    }

    @Test
    @Tag("chaos")
    void protocolHoldsWhatItPromisesUnderTwiceThePressure() throws Exception {
        assertHolds(check("LargePressure", DEADLINE), 480_000);
    }

    @Test
    @Tag("chaos")
    void eachOfThreeGetsEndsUnderPressure() throws Exception {
        assertHolds(check("LargePressureEnds", LONG_DEADLINE), 292_000);
    }

    /** It names a violated property of single steps. */
    @Override
    String violated(String promise, boolean temporal) {
        return promise.equals(NO_FIGHT)
                ? "Action property " + promise + " is violated"
                : super.violated(promise, temporal);
    }

    @Test
    void specificationNamesAllScriptsOfTheStore() throws Exception {
        assertThat(scriptsNamed()).isEqualTo(scripts());
    }
}
