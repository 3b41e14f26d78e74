package io.stampedeguard.testbed.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

final class CausesTest {
    private final IOException first = new IOException("first");
    private final IOException second = new IOException("second");

    @Test
    void theLastCauseIsTheReason() {
        first.initCause(second);
        second.addSuppressed(new IOException("of one address"));
        second.addSuppressed(new IOException("of another"));

        assertThat(Program.deepest(first)).hasMessage("of one address");
    }

    @Test
    @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
    void aWalkAlongCyclesOfCausesEnds() {
        first.initCause(second);
        second.initCause(first);
        assertThat(Program.deepest(first)).isIn(first, second);
    }

    @Test
    @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
    void aWalkAlongCyclesOfSuppressedExceptionsEnds() {
        first.addSuppressed(second);
        second.addSuppressed(first);
        assertThat(Program.deepest(first)).isIn(first, second);
    }
}
