package io.stampedeguard.internal.peer;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.policy.CachePolicy;
import org.junit.jupiter.api.Test;

/** Pauses between zero and a bound that doubles, up to a maximum. */
final class PeerWaitBackoffTest {
    private static final double LARGEST_DRAW = Math.nextDown(1.0);
    private static final long MILLI = 1_000_000;
    private static final CachePolicy POLICY =
            CachePolicy.builder().poll(ofMillis(10)).build();

    @Test
    void boundDoublesAndIsCapped() {
        long[] boundsMillis = {10, 20, 40, 80, 160, 250, 250, 250};
        for (int poll = 0; poll < boundsMillis.length; poll++) {
            assertThat(PeerWait.backoffNanos(POLICY, poll, 1))
                    .as("poll %d", poll)
                    .isEqualTo(boundsMillis[poll] * MILLI);
            assertThat(PeerWait.backoffNanos(POLICY, poll, 0.25))
                    .as("poll %d", poll)
                    .isEqualTo(boundsMillis[poll] * MILLI / 4);
        }
    }

    @Test
    void zeroDrawIsNoPauseAndNoneExceedsTheBound() {
        for (int poll = 0; poll < 100; poll++) {
            assertThat(PeerWait.backoffNanos(POLICY, poll, 0)).isZero();
            assertThat(PeerWait.backoffNanos(POLICY, poll, LARGEST_DRAW)).isBetween(0L, 250 * MILLI);
        }
    }

    @Test
    void hugePollNumbersStayAtTheLastBound() {
        for (int poll : new int[] {31, 32, 33, 63, 64, 1_023, 1_024, 1_000_000, Integer.MAX_VALUE}) {
            assertThat(PeerWait.backoffNanos(POLICY, poll, 1))
                    .as("poll %d", poll)
                    .isEqualTo(250 * MILLI);
        }
    }
}
