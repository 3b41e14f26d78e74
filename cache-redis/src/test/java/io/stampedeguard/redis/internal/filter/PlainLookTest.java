package io.stampedeguard.redis.internal.filter;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.internal.filter.FilterGeneration.FilterDesign;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the replies to a lookup by plain reads prove, of which others may have changed the partition between them. */
class PlainLookTest {
    private static final byte[] IN_A = block(1);
    private static final byte[] IN_B = block(2);
    private static final String RUN = "0123456789abcdef0123456789abcdef01234567";
    private static final String OTHER_RUN = "f" + RUN.substring(1);
    private static final byte[] MASTER = info("master", RUN);

    private final PlainLook look = new PlainLook(
            List.of(bytes("state"), bytes("a"), bytes("b")),
            new FilterGeneration("seen", FilterDesign.of(1_000, 0.01)),
            0x1234_5678_9abc_def0L);

    private static byte[] block(int fill) {
        byte[] block = new byte[64];
        Arrays.fill(block, (byte) fill);
        return block;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(US_ASCII);
    }

    private static byte[] info(String role, String run) {
        return bytes("# Replication\r\nrole:" + role + "\r\nmaster_replid:" + run + "\r\nmaster_replid2:" + OTHER_RUN
                + "\r\n");
    }

    private static List<@Nullable Object> state(@Nullable String... values) {
        List<@Nullable Object> fields = new ArrayList<>();
        for (String value : values) {
            fields.add(value == null ? null : bytes(value));
        }
        return fields;
    }

    private byte @Nullable [] proven(@Nullable Object... replies) {
        return look.block(Arrays.asList(replies));
    }

    @Test
    void blockIsThatOfTheBitmapWhichTheStateNames() {
        assertThat(proven(IN_A, bytes(""), state("seen", "a", RUN), MASTER)).isEqualTo(IN_A);
        assertThat(proven(IN_A, IN_B, state("seen", "b", RUN), MASTER)).isEqualTo(IN_B);
    }

    @Test
    void nothingIsProvenOnceAnotherGenerationIsActive() {
        assertThat(proven(IN_A, IN_B, state("newer", "b", RUN), MASTER)).isNull();
        assertThat(proven(IN_A, IN_B, state("newer", "a", RUN), MASTER)).isNull();
    }

    @Test
    void nothingIsProvenAfterALoss() {
        assertThat(proven(IN_A, bytes(""), state(null, null, null), MASTER))
                .as("flushed")
                .isNull();
        assertThat(proven(bytes(""), bytes(""), state("seen", "a", RUN), MASTER))
                .as("evicted")
                .isNull();
        assertThat(proven(IN_A, bytes(""), state("seen", "a", OTHER_RUN), MASTER))
                .as("another incarnation")
                .isNull();
        assertThat(proven(IN_A, bytes(""), state("seen", "a", null), MASTER)).isNull();
    }

    @Test
    void nothingIsProvenByAReplicaWhichHasTheIncarnationOfItsMaster() {
        assertThat(proven(IN_A, bytes(""), state("seen", "a", RUN), info("slave", RUN)))
                .isNull();
    }

    @Test
    void nothingIsProvenByTheIncarnationBefore() {
        assertThat(proven(IN_A, bytes(""), state("seen", "a", OTHER_RUN), info("master", RUN)))
                .as("as a promoted replica reports it")
                .isNull();
    }

    @Test
    void nothingIsProvenIfAReadWasRefused() {
        assertThat(proven(IN_A, bytes(""), state("seen", "a", RUN), null)).isNull();
        assertThat(proven(IN_A, bytes(""), null, MASTER)).isNull();
        assertThat(proven(null, IN_B, state("seen", "a", RUN), MASTER)).isNull();
    }
}
