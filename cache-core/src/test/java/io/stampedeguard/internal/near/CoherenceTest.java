package io.stampedeguard.internal.near;

import static org.assertj.core.api.Assertions.assertThat;

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
        return new Copy<>("v", new Lifetime(coherence.open("k"), 0, 0, 0, 0, 0, 0));
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

    private boolean mayBeLost(Copy<String> of) {
        return coherence.mayBeLost(of.lifetime().ticket());
    }

    @Test
    void entryMayBeLostIfTheStoreDidNotAnswerSinceTheLastProof() {
        coherence.disconnected();
        Copy<String> meanwhile = copy();
        time.advance(SECOND);
        coherence.answered();
        assertThat(mayBeLost(copy)).as("it answered all the time").isFalse();

        coherence.unanswered();
        time.advance(Duration.ofHours(1));
        coherence.listening();

        assertThat(mayBeLost(copy)).isTrue();
        assertThat(mayBeLost(meanwhile)).isTrue();
        assertThat(mayBeLost(copy())).as("of the next connection").isFalse();
        time.advance(SECOND);
        assertThat(mayBeLost(copy)).as("silence does not count").isTrue();
        time.advance(Duration.ofNanos(1));
        assertThat(mayBeLost(copy)).isFalse();
    }

    @Test
    void entryOfAChangedKeyIsNotLost() {
        coherence.unanswered();
        coherence.disconnected();
        time.advance(SECOND);
        assertThat(mayBeLost(copy)).isTrue();

        coherence.changed("k");

        assertThat(mayBeLost(copy)).isFalse();
    }

    @Test
    void silenceUpToTheLastProofDoesNotCount() {
        coherence.unanswered();
        time.advance(SECOND);
        coherence.completeUpTo(() -> 0);
        coherence.answered();
        coherence.disconnected();

        assertThat(mayBeLost(copy)).isFalse();
    }

    @Test
    void timesBetweenSilencesAddUp() {
        coherence.disconnected();
        for (int i = 0; i < 2; i++) {
            coherence.unanswered();
            coherence.unanswered();
            time.advance(SECOND);
            coherence.answered();
            coherence.answered();
            time.advance(SECOND);
        }
        assertThat(mayBeLost(copy)).isTrue();
        time.advance(Duration.ofNanos(1));
        assertThat(mayBeLost(copy)).isFalse();
    }

    @Test
    void nextGapEndsIt() {
        coherence.unanswered();
        coherence.disconnected();
        time.advance(SECOND);
        coherence.listening();
        assertThat(mayBeLost(copy)).isTrue();

        coherence.disconnected();

        assertThat(mayBeLost(copy)).isFalse();
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
