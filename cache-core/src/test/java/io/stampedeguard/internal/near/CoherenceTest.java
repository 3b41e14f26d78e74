package io.stampedeguard.internal.near;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.near.Coherence.EndedRun;
import io.stampedeguard.internal.near.Copy.Lifetime;
import io.stampedeguard.testkit.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A proof covers the bound, counted from the moment up to which it proves, and no more. */
final class CoherenceTest {
    private static final long BOUND = Duration.ofSeconds(2).toNanos();
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final Coherence coherence = new Coherence(0, 16, BOUND, time);
    private Copy<String> copy;

    @BeforeEach
    void listen() {
        coherence.listening();
        copy = copy();
    }

    private Copy<String> copy() {
        return new Copy<>("v", new Lifetime(coherence.open("k"), 0, 0, 0, 0, 0, 0, 0));
    }

    @Test
    void changeOfAnotherKeyDoesNotOutdateACopyAndOneOfItsOwnDoes() {
        assertThat(coherence.covers(copy, time.monotonicNanos())).isTrue();
        coherence.changed("another");
        assertThat(coherence.covers(copy, time.monotonicNanos())).isTrue();
        coherence.changed("k");
        assertThat(coherence.covers(copy, time.monotonicNanos())).isFalse();
    }

    @Test
    void copyFromBeforeAGapIsNotCovered() {
        assertThat(coherence.covers(copy, time.monotonicNanos())).isTrue();
        coherence.disconnected();
        coherence.listening();
        assertThat(coherence.covers(copy, time.monotonicNanos())).isFalse();
        assertThat(coherence.covers(copy(), time.monotonicNanos())).isTrue();
    }

    @Test
    void copyOfARunThatHasEndedRemainsKnownUntilItsKeyIsChanged() {
        coherence.listening("r1");
        copy = copy();
        coherence.ended();
        Copy<String> meanwhile = copy();
        assertThat(coherence.covers(copy, time.monotonicNanos())).isFalse();
        coherence.listening("r2");

        assertThat(coherence.endedRun(copy.lifetime().ticket())).isEqualTo(new EndedRun("r1", 0));
        assertThat(coherence.endedRun(meanwhile.lifetime().ticket())).isEqualTo(new EndedRun("r1", 0));
        assertThat(coherence.endedRun(copy().lifetime().ticket())).isNull();
        coherence.changed("k");
        assertThat(coherence.endedRun(copy.lifetime().ticket())).isNull();
    }

    @Test
    void runThatReportsAgainHasNotEnded() {
        coherence.listening("r1");
        copy = copy();
        coherence.ended();
        coherence.listening("r1");

        assertThat(coherence.endedRun(copy.lifetime().ticket())).isNull();
    }

    @Test
    void connectionThatWasGivenUpProvesNoEnd() {
        coherence.listening("r1");
        copy = copy();
        coherence.disconnected();
        coherence.ended();

        assertThat(coherence.endedRun(copy.lifetime().ticket())).isNull();
    }

    @Test
    void firstAnswerAfterTheEndCountsUnlessItWasOnItsWay() {
        coherence.listening("r1");
        copy = copy();
        coherence.ended();
        time.advance(SECOND.minusNanos(1));
        coherence.answered();
        time.advance(Duration.ofNanos(1));
        assertThat(coherence.endedRun(copy.lifetime().ticket())).isEqualTo(new EndedRun("r1", 0));

        coherence.answered();
        time.advance(SECOND);
        coherence.answered();
        time.advance(SECOND);

        assertThat(coherence.endedRun(copy.lifetime().ticket()))
                .isEqualTo(new EndedRun("r1", SECOND.multipliedBy(2).toNanos()));
    }

    @Test
    void endProvesNothingIfNoMomentWasConfirmedForSecondsBefore() {
        coherence.listening("r1");
        copy = copy();
        time.advance(SECOND.multipliedBy(5));
        coherence.ended();

        assertThat(coherence.endedRun(copy.lifetime().ticket())).isNull();
    }

    @Test
    void endedRunIsForgottenAMinuteAfterItsEnd() {
        coherence.listening("r1");
        copy = copy();
        coherence.ended();

        time.advance(Duration.ofMinutes(1).minusNanos(1));
        assertThat(coherence.endedRun(copy.lifetime().ticket())).isNotNull();
        time.advance(Duration.ofNanos(1));
        assertThat(coherence.endedRun(copy.lifetime().ticket())).isNull();
    }

    @Test
    void copyIsCoveredForTheBoundFromTheProvenMomentOn() {
        long proven = time.monotonicNanos() + SECOND.toNanos();
        time.advance(SECOND.plus(SECOND));
        coherence.completeUpTo(() -> time.monotonicNanos() - proven);

        assertThat(coherence.covers(copy, proven + BOUND)).isTrue();
        assertThat(coherence.covers(copy, proven + BOUND + 1)).isFalse();
    }

    @Test
    void proofAgesWhileTheProcessIsStoppedInTheMidstOfIt() {
        long proven = time.monotonicNanos();
        coherence.completeUpTo(() -> {
            time.advance(Duration.ofSeconds(5));
            return time.monotonicNanos() - proven;
        });

        assertThat(coherence.covers(copy, time.monotonicNanos())).isFalse();
    }

    @Test
    void proofThatComesWhileDisconnectedProvesNothing() {
        coherence.disconnected();
        coherence.completeUpTo(() -> 0);

        assertThat(coherence.covers(copy(), time.monotonicNanos())).isFalse();
    }
}
