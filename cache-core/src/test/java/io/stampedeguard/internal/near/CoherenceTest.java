package io.stampedeguard.internal.near;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.near.Copy.Lifetime;
import io.stampedeguard.internal.near.Copy.Taken;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A proof covers the bound, counted from the moment up to which it proves, and no more. */
final class CoherenceTest {
    private static final long BOUND = Duration.ofSeconds(2).toNanos();
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final Coherence coherence = new Coherence(16, BOUND, time, new AtomicInteger(), () -> {});
    private Copy<String> copy;

    @BeforeEach
    void listen() {
        coherence.listening();
        copy = copy();
    }

    private Copy<String> copy() {
        return new Copy<>("v", new Lifetime(coherence.open("k"), LeaseToken.next(), 0, 0, 0, 0, 0, 0, Taken.YES));
    }

    @Test
    void onlyAChangeOfItsOwnKeyOutdatesACopy() {
        assertThat(coherence.covers(copy, time.monotonicNanos())).isTrue();
        coherence.changed("another");
        assertThat(coherence.covers(copy, time.monotonicNanos())).isTrue();
        coherence.changed("k");
        assertThat(coherence.covers(copy, time.monotonicNanos())).isFalse();
    }

    @Test
    void everyTicketOfAClosedInstanceIsOutdated() {
        Copy<String> before = copy();
        coherence.close();
        coherence.listening(); // a last call of a watch that has been closed

        for (Copy<String> each : List.of(before, copy())) {
            assertThat(coherence.isUnchanged(each.lifetime().ticket())).isFalse();
            assertThat(coherence.covers(each, time.monotonicNanos())).isFalse();
        }
    }

    @Test
    void overlappingGapsOfSeveralPartsAreReportedOnce() {
        AtomicInteger partsWithGap = new AtomicInteger();
        AtomicInteger reports = new AtomicInteger();
        List<Coherence> parts = Stream.generate(
                        () -> new Coherence(16, BOUND, time, partsWithGap, reports::incrementAndGet))
                .limit(2)
                .toList();
        parts.get(0).disconnected();
        assertThat(reports).as("it was not connected yet").hasValue(0);

        parts.forEach(Coherence::listening);
        parts.forEach(Coherence::disconnected);
        parts.get(0).listening();
        parts.get(0).disconnected();
        assertThat(reports).as("the other part was still disconnected").hasValue(1);

        parts.forEach(Coherence::listening);
        parts.get(1).disconnected();
        assertThat(reports).hasValue(2);

        parts.get(1).listening();
        parts.forEach(Coherence::close);
        assertThat(reports).as("closing is no gap").hasValue(2);
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
    void entryMayBeLostAfterSilenceSinceTheLastProof() {
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
