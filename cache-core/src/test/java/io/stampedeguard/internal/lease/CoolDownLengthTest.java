package io.stampedeguard.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.entry.FailureText;
import io.stampedeguard.policy.CachePolicy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Cool-downs double with each failure in a row, up to a maximum. */
final class CoolDownLengthTest {
    @Test
    void lengthsNeverOverflow() {
        LeaseEnds.CoolDown coolDown = new LeaseEnds.CoolDown(
                CachePolicy.builder().failureCoolDown(Duration.ofMinutes(3)).build());

        assertThat(coolDown.length(1)).isEqualTo(Duration.ofMinutes(3));
        assertThat(coolDown.length(5)).isEqualTo(Duration.ofMinutes(48));
        assertThat(coolDown.length(Integer.MAX_VALUE)).isEqualTo(Duration.ofHours(1));
        assertThat(coolDown.after(new FailureText("T", null), 3).inARow()).isEqualTo(3);
    }
}
