package io.stampedeguard.benchmarks.crew;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.stampedeguard.testbed.fleet.Message;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class AnswersTest {
    @Test
    void answersOfSeveralProcessesAreOne() {
        Answers one = new Answers();
        one.add(new Answers.Read(1_000, 5_000, Got.OLD), true);
        one.addLoad(1_500, 4_000);
        one.addOwnLoad();
        one.slowCalls().stalls().add(2_000, 3_000);
        Answers other = new Answers();
        other.add(new Answers.Read(1_000, 2_000, Got.FAILURE), true);
        other.add(new Answers.Read(2_000, 9_000, Got.NEW), false);
        other.add(new Answers.Read(10_000, 20_001, Got.NEW), false);
        other.addLoad(1_200, 8_000);
        other.addWaits(OptionalLong.of(5), OptionalLong.of(7));

        Answers all = new Answers();
        all.addAll(one.in(Message.of("answers")));
        all.addAll(other.in(Message.of("answers")));

        assertThat(all.latencies().count()).isEqualTo(4);
        assertThat(all.latencies().millisAt(100)).isCloseTo(10, within(0.01));
        assertThat(all.failures()).isEqualTo(1);
        assertThat(all.firstValueMicros()).isEqualTo(5_000);
        assertThat(all.lastMicros()).isEqualTo(20_001);
        assertThat(all.loads()).isEqualTo(2);
        assertThat(all.firstLoadBegan()).isEqualTo(1_200);
        assertThat(all.firstLoadEnded()).isEqualTo(4_000);
        assertThat(all.lastLoadEnded()).isEqualTo(8_000);
        assertThat(all.loadsBegan()).containsExactly(1_200, 1_500);
        assertThat(all.waits()).hasValue(3);
        assertThat(all.slowCalls().count()).isEqualTo(1);
        assertThat(all.slowCalls().stalls().longestMicros()).isEqualTo(1_000);
        assertThat(all.reads())
                .containsExactly(new Answers.Read(1_000, 5_000, Got.OLD), new Answers.Read(1_000, 2_000, Got.FAILURE));
    }

    @Test
    void whereThereIsNothingNothingIsInvented() {
        Answers none = new Answers();
        none.addAll(new Answers().in(Message.of("answers")));
        assertThat(none.hasValue()).isFalse();
        assertThatThrownBy(none::firstValueMicros).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(none::firstLoadEnded).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whetherCallersWaitedIsUnknownOnceOnePeerCannotTell() {
        Answers mute = new Answers();
        mute.addOwnLoad();
        mute.addWaits(OptionalLong.empty(), OptionalLong.empty());
        Answers all = new Answers();
        all.addAll(new Answers().in(Message.of("answers")));
        all.addAll(mute.in(Message.of("answers")));

        assertThat(all.waits()).isEmpty();
    }

    @Test
    void valuesHave100Bytes() {
        for (Got got : new Got[] {Got.OLD, Got.NEW}) {
            assertThat(got.value()).hasSize(100);
            assertThat(Got.of(got.value())).isEqualTo(got);
        }
    }
}
