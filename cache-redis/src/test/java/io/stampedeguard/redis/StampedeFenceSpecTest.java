package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The specification of look-ups and puts by hand: TLC proves its properties, and refutes each mistake. */
final class StampedeFenceSpecTest extends SpecificationTest {
    /** Each mistake, and the property that it breaks. */
    private static final Map<String, String> REFUTED = Map.of(
            "absence-is-a-fence", "Unchanged",
            "change-leaves-the-fence", "Unchanged",
            "expired-entry-is-a-fence", "Unchanged",
            "grant-leaves-the-fence", "Unchanged",
            "no-look-at-the-fence", "Unchanged",
            "origin-before-the-fence", "P2_NothingOlder",
            "same-fence-again", "Unchanged",
            "stamped-when-put", "P2_NothingOlder",
            "void-entry-is-a-fence", "Unchanged",
            "void-fence-is-a-fence", "Unchanged");

    StampedeFenceSpecTest() {
        super("StampedeFence", "broken-fences", REFUTED);
    }

    @Test
    @Tag("proof")
    void noPutIsAcceptedAfterAChange() throws Exception {
        TlcRun run = checkActions("StampedeFence");

        assertHolds(run, 100_000);
        assertThat(run.actionsNeverTaken()).as(run.output()).containsOnly("Learn", "InvalidateAll");
    }

    @ParameterizedTest
    @ValueSource(strings = {"FenceClear", "FenceCluster"})
    @Tag("proof")
    void noPutIsAcceptedAfterAChangeOfAllEntries(String configuration) throws Exception {
        TlcRun run = checkActions(configuration);

        assertHolds(run, 50_000);
        assertThat(run.actionsNeverTaken()).as(run.output()).isEmpty();
    }
}
