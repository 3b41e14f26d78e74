package io.stampedeguard.redis;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The specification of changes of the entries with a tag, {@code docs/protocol}: TLC proves its properties, and refutes each mistake.
 * The runs together take each action.
 */
final class StampedeTagsSpecTest extends SpecificationTest {
    /** Each mistake, and the property that it breaks. */
    private static final Map<String, String> REFUTED = Map.ofEntries(
            entry("entry-not-checked-when-read", "P2_NothingOlder"),
            entry("judged-before-the-marks-are-known", "P2_NothingOlder"),
            entry("question-counts-as-an-answer", "P2_NothingOlder"),
            entry("published-without-a-look-at-the-marks", "P2_NothingOlder"),
            entry("lost-marks-are-none", "P2_NothingOlder"),
            entry("stamped-when-published", "P2_NothingOlder"),
            entry("leader-does-not-compare", "P2_NothingOlder"),
            entry("pushed-value-not-checked", "P2_NothingOlder"),
            entry("older-flight-joined", "P2_NothingOlder"),
            entry("refused-mark-raises-nothing", "P2_NothingOlder"),
            entry("not-written-back", "MarksComeBack"));

    StampedeTagsSpecTest() {
        super("StampedeTags", "broken-tags", REFUTED);
    }

    @Test
    void tagHoldsWhatItPromises() throws Exception {
        TlcRun run = checkActions("StampedeTags", BRIEF);

        assertHolds(run, 13_700);
        assertThat(run.actionsNeverTaken())
                .as(run.output())
                .doesNotContain("Begin", "BeginUnread", "Read", "Judge", "CatchUp", "Ask", "JudgeFound", "BeginLoad")
                .doesNotContain("ReadOrigin", "Publish", "Hear", "Poll", "InvalidateTag", "Update");
    }

    @Test
    @Tag("proof")
    void tagHoldsWhatItPromisesToASharedFlightAfterFailures() throws Exception {
        TlcRun run = checkActions("TagsFlight", BRIEF);

        assertHolds(run, 14_800);
        assertThat(run.actionsNeverTaken())
                .as(run.output())
                .doesNotContain("Queue", "Refuse", "WriteBack", "CutOff", "Return", "Unanswered", "LandUnpublished")
                .doesNotContain("Evict", "LeaseEnds", "FallBehind", "Failover");
    }

    @Test
    @Tag("proof")
    void eachGetEndsAfterFailures() throws Exception {
        assertHolds(check("TagsEnd", DEADLINE), 33_000);
    }

    @Test
    @Tag("proof")
    void eachGetEndsThoughTheTagIsMarkedTwice() throws Exception {
        assertHolds(check("TagsTwice", DEADLINE, BRIEF), 8_400);
    }

    @Test
    @Tag("proof")
    void tagHoldsWhatItPromisesOnACluster() throws Exception {
        TlcRun run = checkActions("TagsCluster");

        assertHolds(run, 84_000);
        assertThat(run.actionsNeverTaken()).as(run.output()).doesNotContain("AskGeneration");
    }

    @Test
    @Tag("chaos")
    void tagHoldsWhatItPromisesToThreeCallersAfterFailures() throws Exception {
        assertHolds(check("TagsFaults", DEADLINE), 364_000);
    }

    @Test
    @Tag("chaos")
    void eachGetEndsAfterAFailureThoughTheTagIsMarkedTwice() throws Exception {
        assertHolds(check("LargeTagsEnd", DEADLINE), 268_000);
    }
}
