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
        TlcRun run = check("StampedeTags", DEADLINE);

        assertHolds(run, 13_700);
        assertThat(run.actionsNeverTaken())
                .as(run.output())
                .doesNotContain("Begin", "BeginUnread", "Read", "Judge", "CatchUp", "Ask", "JudgeFound", "BeginLoad")
                .doesNotContain("ReadOrigin", "Publish", "Hear", "Poll", "InvalidateTag", "Update");
    }

    @Test
    @Tag("proof")
    void tagHoldsWhatItPromisesAfterFailures() throws Exception {
        TlcRun run = check("TagsFaults", DEADLINE);

        assertHolds(run, 364_000);
        assertThat(run.actionsNeverTaken())
                .as(run.output())
                .doesNotContain("Queue", "Refuse", "WriteBack", "CutOff", "Return", "Unanswered", "LandUnpublished")
                .doesNotContain("Evict", "LeaseEnds", "FallBehind", "Failover");
    }

    @Test
    @Tag("proof")
    void eachGetEndsAfterFailures() throws Exception {
        assertHolds(check("TagsEnd", DEADLINE), 268_000);
    }

    @Test
    @Tag("proof")
    void tagHoldsWhatItPromisesOnACluster() throws Exception {
        TlcRun run = check("TagsCluster", DEADLINE);

        assertHolds(run, 84_000);
        assertThat(run.actionsNeverTaken()).as(run.output()).doesNotContain("AskGeneration");
    }
}
