package io.stampedeguard.internal.lease;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.entry.FailureText;
import io.stampedeguard.policy.CachePolicy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Cool-downs double with each failure in a row, up to a maximum. */
final class CoolDownLengthTest {
    @Test
    void lengthsNeverOverflow() {
        LeaseEnds.CoolDown coolDown = new LeaseEnds.CoolDown(CachePolicy.builder()
                .failureCoolDown(ofMillis(1), Duration.ofHours(1))
                .build());

        assertThat(coolDown.length(1)).isEqualTo(ofMillis(1));
        assertThat(coolDown.length(11)).isEqualTo(ofMillis(1024));
        assertThat(coolDown.length(Integer.MAX_VALUE)).isEqualTo(Duration.ofHours(1));
        assertThat(coolDown.after(new FailureText("T", null), 3).inARow()).isEqualTo(3);
    }
}
