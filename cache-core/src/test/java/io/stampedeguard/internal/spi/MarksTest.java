package io.stampedeguard.internal.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.Marks.Known;
import java.util.ArrayList;
import java.util.List;
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
    void whatIsKnownStaysKnown() {
        assertThat(marks.learn(new Known(5, 5, 0))).isFalse();

        assertThat(marks.learn(new Known(0, 0, 0)))
                .as("the store has lost something")
                .isTrue();

        assertThat(marks.known).hasValue(new Known(5, 5, 0));
    }
}
