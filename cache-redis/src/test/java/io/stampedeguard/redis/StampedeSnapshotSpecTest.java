package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The specification of loads that read an older snapshot: TLC proves its properties, and refutes each mistake. */
final class StampedeSnapshotSpecTest extends SpecificationTest {
    /** Each mistake, and the property that it breaks. */
    private static final Map<String, String> REFUTED = Map.of(
            "clock-ahead", "P2_NothingOlderStored",
            "early-callers-answered", "P2_NothingOlder",
            "generation-not-compared", "P2_NothingOlderStored",
            "mark-in-place-of-the-lease", "P2_NothingOlderStored",
            "mark-not-checked", "P2_NothingOlderStored",
            "older-than-the-memory", "P2_NothingOlderStored",
            "put-leaves-no-mark", "P2_NothingOlderStored",
            "same-time-is-younger", "P2_NothingOlderStored");

    StampedeSnapshotSpecTest() {
        super("StampedeSnapshot", "broken-snapshots", REFUTED);
    }

    @Test
    @Tag("proof")
    void noOlderSnapshotIsStoredOrAnswersOthers() throws Exception {
        TlcRun run = checkActions("StampedeSnapshot");

        assertHolds(run, 125_000);
        assertThat(run.actionsNeverTaken()).as(run.output()).isEmpty();
    }
}
