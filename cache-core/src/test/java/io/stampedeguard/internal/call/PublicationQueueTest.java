package io.stampedeguard.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.testkit.ExploresSchedules;
import io.stampedeguard.testkit.Schedules;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is left is published once, together, and nothing is forgotten. */
@ExploresSchedules
final class PublicationQueueTest {
    private static final Runnable NO_END = () -> {};

    private final List<List<String>> published = new ArrayList<>();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final PublicationQueue<String> queue = new PublicationQueue<>(published::add, tasks::add, String::equals);

    @Test
    void callersThatAreAlonePublishThemselves() {
        for (int i = 0; i < 3; i++) {
            assertThat(queue.leave("k", "own", 10, NO_END)).isFalse();
            queue.over();
        }
        assertThat(tasks).isEmpty();
    }

    @Test
    void whatComesMeanwhileIsPublishedTogether() {
        queue.leave("k", "own", 10, NO_END);

        assertThat(List.of(queue.leave("k", "a", 10, NO_END), queue.leave("k", "b", 10, NO_END)))
                .containsOnly(true);
        tasks.remove().run();

        assertThat(published).containsExactly(List.of("a", "b"));
        assertThat(tasks).isEmpty();
        queue.over();
        assertThat(queue.leave("k", "own", 10, NO_END)).isFalse();
    }

    @Test
    void whatComesWhileTheTaskPublishesIsItsNextBatch() {
        List<PublicationQueue<String>> itself = new ArrayList<>();
        PublicationQueue<String> other = new PublicationQueue<>(
                batch -> {
                    published.add(batch);
                    if (batch.contains("a")) {
                        itself.get(0).leave("k", "b", 10, NO_END);
                        itself.get(0).leave("k", "c", 10, NO_END);
                    }
                },
                tasks::add,
                String::equals);
        itself.add(other);
        other.leave("k", "own", 10, NO_END);
        other.over();
        other.leave("k", "own", 10, NO_END);
        other.leave("k", "a", 10, NO_END);

        tasks.remove().run();

        assertThat(published).containsExactly(List.of("a"), List.of("b", "c"));
        assertThat(tasks).isEmpty();
    }

    @Test
    void callersPublishThemselvesWhileMuchWaits() {
        queue.leave("k", "own", 10, NO_END);
        for (int i = 0; i < 64; i++) {
            assertThat(queue.leave("k", "left", 10, NO_END)).isTrue();
        }
        assertThat(queue.leave("k", "one more", 10, NO_END)).isFalse();

        tasks.remove().run();
        queue.over();
        queue.leave("k", "left", 60_000, NO_END);
        assertThat(queue.leave("k", "too long", 10_000, NO_END)).isFalse();
    }

    @Test
    void withoutAThreadForTheTaskTheCallerPublishesWhatItLeft() {
        PublicationQueue<String> closed = new PublicationQueue<>(published::add, task -> false, String::equals);
        closed.leave("k", "own", 10, NO_END);

        assertThat(closed.leave("k", "a", 10, NO_END)).isTrue();

        assertThat(published).containsExactly(List.of("a"));
    }

    @Test
    void callerThatCannotStartTheTaskIsNotUnderWay() {
        AtomicBoolean isFull = new AtomicBoolean(true);
        PublicationQueue<String> failing = new PublicationQueue<>(
                published::add,
                task -> {
                    if (isFull.get()) {
                        throw new OutOfMemoryError("says the test");
                    }
                    return tasks.add(task);
                },
                String::equals);
        failing.leave("k", "own", 10, NO_END);
        assertThatThrownBy(() -> failing.leave("k", "a", 10, NO_END)).isInstanceOf(OutOfMemoryError.class);
        assertThatThrownBy(() -> failing.leave("of another part", "own", 10, NO_END))
                .isInstanceOf(OutOfMemoryError.class);
        failing.over();

        isFull.set(false);
        assertThat(failing.leave("k", "b", 10, NO_END)).isTrue();
        tasks.remove().run();

        assertThat(published).containsExactly(List.of("a", "b"));
        assertThat(failing.leave("k", "own", 10, NO_END)).isFalse();
    }

    @Test
    void failureDoesNotKeepWhatComesNext() {
        List<PublicationQueue<String>> itself = new ArrayList<>();
        PublicationQueue<String> failing = new PublicationQueue<>(
                batch -> {
                    published.add(batch);
                    if (batch.contains("a")) {
                        itself.get(0).leave("k", "b", 10, NO_END);
                        throw new OutOfMemoryError("says the test");
                    }
                },
                tasks::add,
                String::equals);
        itself.add(failing);
        failing.leave("k", "own", 10, NO_END);
        failing.leave("k", "a", 10, NO_END);

        assertThatThrownBy(tasks.remove()::run).isInstanceOf(OutOfMemoryError.class);

        assertThat(published).containsExactly(List.of("a"), List.of("b"));
        failing.over();
        assertThat(failing.leave("k", "own", 10, NO_END)).isFalse();
    }

    @Test
    void endOfEachRunsWhateverIsThrown() {
        List<String> ended = new ArrayList<>();
        PublicationQueue<String> failing = new PublicationQueue<>(
                batch -> {
                    throw new OutOfMemoryError("says the test");
                },
                tasks::add,
                String::equals);
        failing.leave("k", "own", 10, () -> ended.add("own"));
        for (String each : List.of("a", "b", "c")) {
            failing.leave("k", each, 10, () -> {
                ended.add(each);
                throw new StackOverflowError("says the end of " + each);
            });
        }

        assertThatThrownBy(tasks.remove()::run).isInstanceOf(Error.class);

        assertThat(ended).containsExactly("a", "b", "c");
    }

    private PublicationQueue<String> whoseFirstTaskFindsNoStack() {
        AtomicBoolean isStackFull = new AtomicBoolean(true);
        return new PublicationQueue<>(
                published::add,
                task -> {
                    if (isStackFull.getAndSet(false)) {
                        throw new StackOverflowError("says the test");
                    }
                    return tasks.add(task);
                },
                String::equals);
    }

    @Test
    void taskThatCannotBeStartedIsStartedByTheNextCaller() {
        PublicationQueue<String> other = whoseFirstTaskFindsNoStack();
        other.leave("k", "own", 10, NO_END);
        assertThatThrownBy(() -> other.leave("k", "a", 10, NO_END)).isInstanceOf(StackOverflowError.class);
        other.over();

        assertThat(other.leave("k", "b", 10, NO_END)).isTrue();
        tasks.remove().run();

        assertThat(published).containsExactly(List.of("a", "b"));
        assertThat(other.leave("k", "own", 10, NO_END)).isFalse();
    }

    @Test
    void callerWithoutATaskThreadPublishesNothingThatComesLater() {
        List<PublicationQueue<String>> itself = new ArrayList<>();
        List<Boolean> isLeft = new ArrayList<>();
        PublicationQueue<String> closed = new PublicationQueue<>(
                batch -> {
                    published.add(batch);
                    if (batch.contains("a")) {
                        itself.get(0).over();
                        isLeft.add(itself.get(0).leave("k", "b", 10, NO_END));
                    }
                },
                task -> false,
                String::equals);
        itself.add(closed);
        closed.leave("k", "own", 10, NO_END);

        closed.leave("k", "a", 10, NO_END);

        assertThat(published).containsExactly(List.of("a"));
        assertThat(isLeft).containsExactly(false);
    }

    @Test
    void callersOfAnotherPartOfTheStorePublishThemselves() {
        queue.leave("here", "own", 10, NO_END);

        assertThat(queue.leave("there", "a", 10, NO_END)).isFalse();
        assertThat(queue.leave("here", "b", 10, NO_END)).isTrue();

        queue.over();
        queue.over();
        tasks.remove().run();
        assertThat(queue.leave("there", "own", 10, NO_END)).isFalse();
        assertThat(queue.leave("there", "a", 10, NO_END)).isTrue();
    }

    @Test
    void fullQueueWhoseTaskHasEndedIsStartedByTheNextCaller() {
        PublicationQueue<String> other = whoseFirstTaskFindsNoStack();
        other.leave("k", "own", 10, NO_END);
        assertThatThrownBy(() -> other.leave("k", "a", 65_000, NO_END)).isInstanceOf(StackOverflowError.class);

        assertThat(other.leave("k", "too long", 10_000, NO_END)).isFalse();
        tasks.remove().run();

        assertThat(published).containsExactly(List.of("a"));
    }

    @Test
    void inNoScheduleIsAPublicationForgotten() {
        exploreSchedules(100, Tasks.ON_THE_CALLER);
        exploreSchedules(100, Tasks.ON_THREADS);
    }

    @Test
    @Tag("proof")
    void inNoneOfManySchedulesIsAPublicationForgotten() {
        exploreSchedules(2_000, Tasks.ON_THE_CALLER);
        exploreSchedules(2_000, Tasks.ON_THREADS);
    }

    /** Where tasks run. */
    private enum Tasks {
        /** There is no thread for them. */
        ON_THE_CALLER,

        /** Each on a thread of its own. */
        ON_THREADS
    }

    private static void exploreSchedules(int schedules, Tasks where) {
        Schedules.explore(schedules, () -> {
            AtomicInteger done = new AtomicInteger();
            Thread[] started = new Thread[3];
            AtomicInteger tasks = new AtomicInteger();
            PublicationQueue<String> queue = new PublicationQueue<>(
                    batch -> done.addAndGet(batch.size()),
                    task -> {
                        if (where == Tasks.ON_THE_CALLER) {
                            return false;
                        }
                        Thread thread = new Thread(task);
                        started[tasks.getAndIncrement()] = thread;
                        thread.start();
                        return true;
                    },
                    String::equals);
            Runnable caller = () -> {
                if (!queue.leave("k", "a", 10, NO_END)) {
                    done.incrementAndGet();
                    queue.over();
                }
            };
            Thread one = new Thread(caller);
            Thread other = new Thread(caller);
            one.start();
            other.start();
            caller.run();
            Schedules.join(one);
            Schedules.join(other);
            for (int i = 0; i < tasks.get(); i++) {
                Schedules.join(started[i]);
            }
            boolean isAloneAgain = !queue.leave("k", "a", 10, NO_END);
            return done.get() == 3 && isAloneAgain;
        });
    }
}
