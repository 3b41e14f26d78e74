package io.stampedeguard.benchmarks.crew;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SeriesTest {
    @Test
    void threadsAskForEachKeyOnceTogether() {
        Series series = Series.nonexistent("none", 1_000).by(8);

        assertThat(asked(series)).hasSize(1_000).doesNotHaveDuplicates();
        assertThat(asked(series))
                .containsExactlyInAnyOrderElementsOf(Series.all("none", 1_000).toList());
    }

    @Test
    void whereKeysDoNotSufficeItBeginsAgain() {
        Series series = Series.existing("some", 3).by(2).paced(6, Duration.ofMillis(10));

        assertThat(keys(series, 0)).containsExactly("some-0", "some-2", "some-1", "some-0", "some-2", "some-1");
        assertThat(asked(series)).hasSize(12).containsOnly("some-0", "some-1", "some-2");
    }

    private static List<String> asked(Series series) {
        return IntStream.range(0, series.threads())
                .boxed()
                .flatMap(thread -> keys(series, thread))
                .toList();
    }

    private static Stream<String> keys(Series series, int thread) {
        return IntStream.range(0, series.calls()).mapToObj(series.keysOf(thread));
    }

    @Test
    void threadsNotSharingKeysAskForAllInDifferentOrders() {
        Series series = Series.existing("some", 50).eachBy(2);

        List<String> one = keys(series, 0).toList();
        List<String> other = keys(series, 1).toList();

        assertThat(one)
                .containsExactlyInAnyOrderElementsOf(Series.all("some", 50).toList())
                .containsExactlyInAnyOrderElementsOf(other)
                .isNotEqualTo(other);
    }

    @Test
    void loadsOfAKeyInSeveralProcessesAddUp() {
        Tally one = new Tally();
        one.addLoad("W15-8x32-1-0");
        one.addLoad("W15-8x32-1-1");
        one.addLoad("W15-8x32-1-1");
        Tally other = new Tally();
        other.addLoad("W15-8x32-1-1");

        Tally all = new Tally();
        all.addAll(one.in(Message.of("answers")));
        all.addAll(other.in(Message.of("answers")));

        assertThat(all.loads()).isEqualTo(4);
        assertThat(all.mostLoadsOfAKey()).isEqualTo(3);
        assertThat(new Tally().mostLoadsOfAKey()).isZero();
    }

    @Test
    void talliesOfSeveralProcessesAreOne() {
        Tally one = new Tally();
        one.addAnswer("value", 1_000_000);
        one.addAnswer(null, 5_000_000);
        one.addLoad();
        one.addEnd(7);
        one.addUnleasedLoads("REFUSED", 2);
        Tally other = new Tally();
        other.addFailure(9_000_000);
        other.addLoad();
        other.addEnd(5);
        other.addUnleasedLoads("REFUSED", 3);
        other.addUnleasedLoads("STORE_DOWN", 1);

        Tally all = new Tally();
        all.addAll(one.in(Message.of("answers")));
        all.addAll(other.in(Message.of("answers")));

        assertThat(all.latencies().count()).isEqualTo(3);
        assertThat(all.latencies().millisAt(100)).isCloseTo(9, within(0.01));
        assertThat(all.absent()).isEqualTo(1);
        assertThat(all.loads()).isEqualTo(2);
        assertThat(all.failures()).isEqualTo(1);
        assertThat(all.lastMicros()).isEqualTo(7);
        assertThat(all.unleasedLoads()).isEqualTo(6);
        assertThat(all.unleasedLoads("REFUSED")).isEqualTo(5);
        assertThat(all.unleasedLoads("STORE_DOWN")).isEqualTo(1);
        assertThat(all.unleasedLoads("UNANSWERED")).isZero();
    }
}
