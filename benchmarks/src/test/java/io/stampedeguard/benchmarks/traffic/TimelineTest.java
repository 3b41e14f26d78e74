package io.stampedeguard.benchmarks.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TimelineTest {
    private static final long SECOND = 1_000_000;

    @Test
    void loadsAtOnceAreThoseInProgressInAnyProcess() {
        Timeline timeline = new Timeline(4);
        timeline.addLoad(0, 10, 1);
        timeline.addLoad(10, 20, 1);
        timeline.addLoad(SECOND - 10, 2 * SECOND + 5, 2);
        timeline.addLoad(SECOND - 5, SECOND + 5, 3);

        assertThat(timeline.loadsAtOnce()).containsExactly(2, 2, 1, 0);
        assertThat(timeline.loads()).containsExactly(4, 0, 0, 0);
    }

    @Test
    void theSameKeyInTwoProcessesIsCountedForEach() {
        Timeline one = new Timeline(2);
        one.addLoad(0, 1, 7);
        one.addLoad(2, 3, 7);
        Timeline all = new Timeline(2);
        all.addAll(one.in(Message.of("answers")), 0);
        all.addAll(one.in(Message.of("answers")), 1);

        assertThat(all.loads()).containsExactly(4, 0);
        assertThat(all.mostLoadsOfAKey(0, 2)).isEqualTo(2);
        assertThat(all.mostLoadsOfAKey(1, 2)).isZero();
    }

    @Test
    void callsOfSeveralProcessesAreOneTimeline() {
        Timeline one = new Timeline(2);
        one.addCall(0, 1_000_000, true);
        one.addCall(0, 1_000_000, false);
        one.addCall(5, 9_000_000, false);
        one.addMisses(1, 1);
        one.addCall(1, 1_000_000, true);
        one.addBreaker(1, "OPEN");
        one.addSlowCallsOfACaller(3);
        Timeline other = new Timeline(2);
        other.addCall(1, 1_000_000, true);
        other.addBreaker(1, "CLOSED");

        Timeline all = new Timeline(2);
        all.addAll(one.in(Message.of("answers")), 0);
        all.addAll(other.in(Message.of("answers")), 1);

        assertThat(all.gets(0, 1)).isEqualTo(1);
        assertThat(all.gets(1, 2)).isEqualTo(2);
        assertThat(all.hits(1, 2)).isEqualTo(1);
        assertThat(all.misses(0, 2)).isEqualTo(1);
        assertThat(all.errors(0, 2)).isEqualTo(1);
        assertThat(all.errors()).isEqualTo(2);
        assertThat(all.calls(0, 2).count()).isEqualTo(4);
        assertThat(all.callsFrom(1).count()).isEqualTo(3);
        assertThat(all.breaker(0)).isNull();
        assertThat(all.breaker(1)).isEqualTo("CLOSED,OPEN");
        assertThat(all.slowCallsOfACaller()).isEqualTo(3);
    }

    @Test
    void aSlowOriginMakesNewLoadsTakeTenTimesAsLong() {
        Duration usual = Duration.ofMillis(20);
        Traffic traffic = new Traffic("a key", 9, 3, Duration.ofMillis(2), usual, 10, 5, 7);

        assertThat(traffic.takesAt(0)).isEqualTo(usual);
        assertThat(traffic.slow(2, 4).takesAt(2 * SECOND - 1)).isEqualTo(usual);
        assertThat(traffic.slow(2, 4).takesAt(2 * SECOND)).isEqualTo(Duration.ofMillis(200));
        assertThat(traffic.slow(2, 4).takesAt(4 * SECOND - 1)).isEqualTo(Duration.ofMillis(200));
        assertThat(traffic.slow(2, 4).takesAt(4 * SECOND)).isEqualTo(usual);
    }
}
