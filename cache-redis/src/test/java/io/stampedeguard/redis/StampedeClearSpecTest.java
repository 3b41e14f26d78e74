package io.stampedeguard.redis;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The specification of changes of all entries, {@code docs/protocol}: TLC proves its properties, and refutes each mistake. The runs
 * together take each action.
 */
final class StampedeClearSpecTest extends SpecificationTest {
    /** Each mistake, and the property that it breaks. */
    private static final Map<String, String> REFUTED = Map.ofEntries(
            entry("entry-not-checked-when-read", "P2_NothingOlder"),
            entry("entry-not-checked-when-found", "P2_NothingOlder"),
            entry("pushed-value-not-checked", "P2_NothingOlder"),
            entry("stamped-when-published", "P2_NothingOlder"),
            entry("publication-not-refused", "P2_NothingOlder"),
            entry("leader-does-not-compare", "P2_NothingOlder"),
            entry("older-flight-joined", "P2_NothingOlder"),
            entry("copy-outlives-a-clear", "P2_NothingOlder"),
            entry("copy-outlives-what-is-learned", "P2_NothingOlder"),
            entry("refused-clear-raises-nothing", "P2_NothingOlder"),
            entry("generation-starts-again", "P2_NothingOlder"),
            entry("not-written-back", "ClearsComeBack"),
            entry("void-lease-is-held", "NobodyWaitsInVain"),
            entry("lease-stamped-by-the-server-alone", "P1_OneLoad"),
            entry("used-before-the-first-answer", "P2_NothingOlder"),
            entry("plain-request-compares-with-a-later-generation", "P1_OneLoad"),
            entry("renewal-forgets-the-stamp", "P1_OneLoad"));

    StampedeClearSpecTest() {
        super("StampedeClear", "broken-clears", REFUTED);
    }

    @Test
    void clearHoldsWhatItPromises() throws Exception {
        TlcRun run = checkActions("StampedeClear", BRIEF);

        assertHolds(run, 33_000);
        assertThat(run.actionsNeverTaken())
                .as(run.output())
                .doesNotContain("NearHit", "Begin", "BeginUnread", "Read", "Ask", "BeginLoad", "ReadOrigin", "Publish")
                .doesNotContain("Hear", "Poll", "InvalidateAll", "Notice", "Update");
    }

    @Test
    @Tag("proof")
    void eachGetEndsAndTwoClearsKeepPromisesToPlainRequests() throws Exception {
        TlcRun run = checkActions("ClearTwice");

        assertHolds(run, 33_000);
        assertThat(run.actionsNeverTaken()).as(run.output()).doesNotContain("Take", "See");
    }

    @Test
    @Tag("proof")
    void clearHoldsWhatItPromisesAfterFailures() throws Exception {
        TlcRun run = checkActions("ClearCopies");

        assertHolds(run, 31_000);
        assertThat(run.actionsNeverTaken())
                .as(run.output())
                .doesNotContain("Raise", "WriteBack", "CutOff", "Return", "Unanswered", "LandUnpublished")
                .doesNotContain("LeaseEnds", "FallBehind", "Failover");
    }

    @Test
    @Tag("proof")
    void eachGetEndsAfterFailures() throws Exception {
        assertHolds(check("ClearFaultsEnd", DEADLINE), 28_000);
    }

    @Test
    @Tag("proof")
    void clearHoldsWhatItPromisesOnACluster() throws Exception {
        TlcRun run = checkActions("ClearCluster");

        assertHolds(run, 14_600);
        assertThat(run.actionsNeverTaken()).as(run.output()).doesNotContain("AskGeneration", "Restart");
    }

    @Test
    @Tag("proof")
    void copiesHoldWhatTheyPromiseOnACluster() throws Exception {
        TlcRun run = checkActions("ClearClusterCopies");

        assertHolds(run, 99_000);
        assertThat(run.actionsNeverTaken()).as(run.output()).doesNotContain("AskGeneration", "NearHit", "Notice");
    }

    @Test
    @Tag("chaos")
    void clearHoldsWhatItPromisesToPlainRequestsOfThreeCallers() throws Exception {
        assertHolds(check("ClearPlain", DEADLINE), 25_000);
    }

    @Test
    @Tag("chaos")
    void clearHoldsWhatItPromisesToThreeCallersAfterFailures() throws Exception {
        assertHolds(check("ClearFaults", DEADLINE), 317_000);
    }
}
