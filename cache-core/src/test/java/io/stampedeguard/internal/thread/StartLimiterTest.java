package io.stampedeguard.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.testkit.ExploresSchedules;
import io.stampedeguard.testkit.Schedules;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A limited number at once, in order, and none is forgotten. */
@ExploresSchedules
final class StartLimiterTest {
    private final List<Runnable> begun = new ArrayList<>();
    private final List<Integer> order = new ArrayList<>();

    @Test
    void soManyBeginAtOnceAndTheOthersInOrder() {
        StartLimiter turns = new StartLimiter(2, 10, begun::add);
        for (int i = 0; i < 5; i++) {
            int number = i;
            turns.start(() -> {
                order.add(number);
                turns.over();
            });
        }
        assertThat(begun).hasSize(2);

        for (int i = 0; i < begun.size(); i++) {
            begun.get(i).run();
        }

        assertThat(order).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    void whatFindsNoRoomIsRejected() {
        StartLimiter turns = new StartLimiter(1, 2, begun::add);
        turns.start(() -> {});
        turns.start(() -> {});
        turns.start(() -> {});

        assertThatThrownBy(() -> turns.start(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void threadsThatAreClosedKeepNoTurn() {
        AtomicInteger rejected = new AtomicInteger();
        StartLimiter turns = new StartLimiter(1, 10, task -> {
            if (rejected.incrementAndGet() <= 3) {
                throw new RejectedExecutionException("closed, says the test");
            }
            begun.add(task);
        });
        for (int i = 0; i < 4; i++) {
            turns.start(() -> {});
        }

        assertThat(begun).hasSize(1);
    }

    @Test
    void inNoScheduleIsATaskForgotten() {
        exploreSchedules(100);
    }

    @Test
    @Tag("proof")
    void inNoneOfManySchedulesIsATaskForgotten() {
        exploreSchedules(2_000);
    }

    private static void exploreSchedules(int schedules) {
        Schedules.explore(schedules, () -> {
            AtomicInteger done = new AtomicInteger();
            StartLimiter turns = new StartLimiter(1, 10, Runnable::run);
            Runnable start = () -> turns.start(() -> {
                done.incrementAndGet();
                turns.over();
            });
            Thread one = new Thread(start);
            Thread other = new Thread(start);
            one.start();
            other.start();
            start.run();
            Schedules.join(one);
            Schedules.join(other);
            return done.get() == 3;
        });
    }
}
