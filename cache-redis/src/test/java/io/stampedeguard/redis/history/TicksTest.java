package io.stampedeguard.redis.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.history.Ticks.Tick;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TicksTest {
    /** At the places 10, 20, 30, and 40, each of which took a nanosecond to draw. */
    private static final List<Tick> FOUR =
            List.of(new Tick(10, 0, 1), new Tick(20, 100, 101), new Tick(30, 200, 201), new Tick(40, 300, 301));

    private static Ticks ticks(int boundNanos) {
        return new Ticks(Duration.ofNanos(boundNanos), FOUR);
    }

    @Test
    void placeSurelyOlderThanTheBoundIsHeardOf() {
        assertThat(ticks(98).heardUpTo(40)).isEqualTo(30);
        assertThat(ticks(99).heardUpTo(40)).as("no more than the bound").isEqualTo(20);
        assertThat(ticks(198).heardUpTo(40)).isEqualTo(20);
    }

    @Test
    void placeBetweenTwoTicksMayBeAsOldAsTheFirst() {
        assertThat(ticks(98).heardUpTo(39)).isEqualTo(20);
        assertThat(ticks(98).heardUpTo(1_000)).isEqualTo(30);
    }

    @Test
    void nothingIsKnownBeforeTheFirstTick() {
        assertThat(ticks(98).heardUpTo(10)).isEqualTo(Long.MIN_VALUE);
        assertThat(ticks(98).heardUpTo(5)).isEqualTo(Long.MIN_VALUE);
    }

    @Test
    void distanceIsWhatItIsAtLeast() {
        assertThat(ticks(0).between(10, 40)).isEqualTo(Duration.ofNanos(299));
        assertThat(ticks(0).between(11, 39)).isEqualTo(Duration.ofNanos(99));
        assertThat(ticks(0).between(21, 29)).isZero();
        assertThat(ticks(0).between(41, 50)).isZero();
    }

    @Test
    void whatItsThreadDrewTellsHowFarPlacesLieApart(@TempDir Path directory) throws Exception {
        CommonGround ground = CommonGround.open(directory.resolve("ground"), 0);
        Duration bound = Duration.ofMillis(10);
        long began = System.nanoTime();
        long first = ground.nextPlace();
        Ticks ticks = new Ticks(bound, ground::nextPlace);
        long last = first;
        for (int drawnHere = 1; last < drawnHere + 20; drawnHere++) { // twenty were drawn there, at least 2 ms apart
            last = ground.nextPlace();
        }
        long length = System.nanoTime() - began;
        ticks.close();

        assertThat(ticks.between(first, last)).isGreaterThan(bound).isLessThanOrEqualTo(Duration.ofNanos(length));
        assertThat(ticks.heardUpTo(last)).isBetween(first, last - 1);
        assertThat(ticks.between(ticks.heardUpTo(last), last)).isGreaterThan(bound);
    }
}
