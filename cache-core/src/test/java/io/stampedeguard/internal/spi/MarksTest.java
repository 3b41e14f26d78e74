package io.stampedeguard.internal.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.Marks.Known;
import io.stampedeguard.internal.spi.Marks.OfTag;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MarksTest {
    private final Marks marks = new Marks();
    private final List<Known> changes = new ArrayList<>();

    private void watch() {
        marks.watch(() -> changes.add(marks.known.get()));
    }

    @Test
    void watcherIsCalledOnceForEachChangeAfterItIsKnown() {
        watch();

        marks.learn(new Known(5, 5, 0));
        marks.learn(new Known(5, 5, 0));
        marks.learn(new Known(6, 5, 6));
        marks.learn(new Known(4, 4, 4));

        assertThat(changes).containsExactly(new Known(5, 5, 0), new Known(6, 5, 6));
    }

    @Test
    void generationAloneChangesNothing() {
        watch();

        marks.learn(new Known(5, 0, 0));

        assertThat(changes).isEmpty();
    }

    @Test
    void closedWatchHearsNothing() {
        Watch closed = marks.watch(() -> changes.add(Known.NOTHING));
        watch();

        closed.close();
        marks.learn(new Known(5, 5, 0));

        assertThat(changes).containsExactly(new Known(5, 5, 0));
    }

    @Test
    void watcherIsCalledWhenAMarkOfATagIsKnown() {
        marks.learn(new Known(5, 0, 0, 5));
        watch();

        marks.learn(Map.of("a", new OfTag(5, 0)));
        marks.learn(Map.of());

        assertThat(changes).containsExactly(new Known(5, 0, 0, 5));
    }

    @Test
    void marksOfTagsAreAboveTheStampsBeforeThem() {
        marks.raise(true, List.of("a", "b"), 10);
        marks.raise(false, List.of("b"), 5);

        assertThat(marks.known).hasValue(new Known(11, 0, 0, 11));
        assertThat(marks.isRemoved(9, List.of("x", "a"))).isTrue();
        assertThat(marks.isRemoved(10, List.of("a", "b"))).isFalse();
        assertThat(marks.isExpired(10, List.of("b"))).isTrue();
        assertThat(marks.isExpired(11, List.of("b"))).isFalse();
        assertThat(marks.isOutdated(0, List.of("x"))).isFalse();
        assertThat(marks.ofTagsAbove(10)).containsOnlyKeys("b");
    }

    @Test
    void oldestOfTooManyTagsBecomeARemovalOfEverythingBefore() {
        for (int tag = 1; tag <= 11_001; tag++) {
            marks.raise(true, List.of("t" + tag), tag);
        }

        long removed = marks.known.get().removed();
        assertThat(removed).isBetween(1_000L, 1_100L);
        assertThat(marks.isRemoved(removed - 1, List.of())).isTrue();
        assertThat(marks.isRemoved(removed, List.of())).isFalse();
        assertThat(marks.isRemoved(removed, List.of("t" + (removed + 1)))).isTrue();
        assertThat(marks.ofTagsAbove(0)).hasSize((int) (11_001 - removed));
    }

    @Test
    void removalOfEverythingForgetsTheMarksBefore() {
        marks.raise(true, List.of("a"), 5);

        marks.learn(new Known(6, 6, 0));

        assertThat(marks.ofTagsAbove(0)).isEmpty();
        assertThat(marks.isRemoved(5, List.of("a"))).isTrue();
        assertThat(marks.isRemoved(6, List.of("a"))).isFalse();
    }

    @Test
    void whatIsKnownStaysKnown() {
        assertThat(marks.learn(new Known(5, 5, 0))).isFalse();

        assertThat(marks.learn(new Known(0, 0, 0)))
                .as("the store has lost something")
                .isTrue();

        assertThat(marks.known).hasValue(new Known(5, 5, 0));
    }
}
