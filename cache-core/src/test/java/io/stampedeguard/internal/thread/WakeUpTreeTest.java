package io.stampedeguard.internal.thread;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.thread.WakeUpTree.Waiter;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Callers.Call;
import io.stampedeguard.testkit.ForwardingTime;
import io.stampedeguard.testkit.VirtualTime;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Most tests are waiters and releasing thread in one, step by step: a wait ends at once, woken or not. */
class WakeUpTreeTest {
    private static final long LONG = Duration.ofHours(1).toNanos();

    private final WakeUpTree tree = new WakeUpTree();
    private final List<Waiter> waiters = new ArrayList<>();
    private final List<CountDownLatch> waits = new ArrayList<>();
    private Runnable duringWait = () -> {};

    /** A clock for which each time is over at once. */
    private final TimeSource impatient = new ForwardingTime(TimeSource.system()) {
        @Override
        public boolean await(CountDownLatch latch, long nanos) throws InterruptedException {
            waits.add(latch);
            duringWait.run();
            return latch.await(0, NANOSECONDS);
        }
    };

    /** Adds waiters; the last one is the first to be woken. */
    private void add(int number) {
        for (int i = 0; i < number; i++) {
            waiters.add(tree.add());
        }
    }

    private void endWait(int waiter) throws InterruptedException {
        waiters.get(waiter).awaitWakeUp(impatient, LONG);
    }

    private List<Integer> woken() throws InterruptedException {
        List<Integer> woken = new ArrayList<>();
        for (int i = 0; i < waiters.size(); i++) {
            if (waiters.get(i).await(0, NANOSECONDS)) {
                woken.add(i);
            }
        }
        return woken;
    }

    @Test
    void releaseWakesTwoWaitersWhichWakeTwoMoreEach() throws Exception {
        add(7);
        assertThat(woken()).isEmpty();

        tree.release();
        assertThat(woken()).containsExactly(5, 6);

        endWait(6);
        assertThat(woken()).containsExactly(3, 4, 5, 6);

        endWait(4);
        assertThat(woken()).containsExactly(1, 2, 3, 4, 5, 6);

        endWait(3);
        assertThat(woken()).containsExactly(0, 1, 2, 3, 4, 5, 6);
    }

    @Test
    void releaseBeforeTheFirstWaiterLetsItReturnAtOnce() throws Exception {
        assertThat(tree.isReleased()).isFalse();
        tree.release();

        assertThat(tree.isReleased()).isTrue();
        assertThat(tree.await(impatient, LONG)).isTrue();
        assertThat(waits).isEmpty();
    }

    @Test
    void releaseWhileAWaiterComesLateWakesItAndTheOthers() throws Exception {
        add(3);
        duringWait = tree::release;

        assertThat(tree.await(impatient, LONG)).isTrue();
        assertThat(woken()).containsExactly(0, 1, 2);
    }

    @Test
    void waitEndsWithItsTimeAndIsThenSkipped() throws Exception {
        add(2);
        assertThat(tree.await(impatient, LONG)).isFalse();
        add(1);

        tree.release();
        assertThat(woken()).containsExactly(1, 2);
    }

    @Test
    void interruptedWaiterIsSkipped() throws Exception {
        add(4);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> endWait(3)).isInstanceOf(InterruptedException.class);

        tree.release();
        assertThat(waiters.get(3).wake()).isFalse();
        assertThat(woken()).contains(1, 2).doesNotContain(0);
    }

    @Test
    void waiterInterruptedAfterItsWakeUpWakesOthers() throws Exception {
        add(4);
        tree.release();
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> endWait(3)).isInstanceOf(InterruptedException.class);
        assertThat(woken()).containsExactly(0, 1, 2, 3);
    }

    @Test
    void waiterWhoseClockFailsIsSkipped() throws Exception {
        add(3);
        duringWait = () -> {
            throw new IllegalStateException("no clock");
        };

        assertThatThrownBy(() -> tree.await(impatient, LONG)).hasMessage("no clock");
        tree.release();
        assertThat(woken()).containsExactly(1, 2);
    }

    @Test
    void waiterWhoseClockFailsAfterItsWakeUpWakesOthers() throws Exception {
        add(4);
        tree.release();
        duringWait = () -> {
            throw new StackOverflowError();
        };

        assertThatThrownBy(() -> endWait(3)).isInstanceOf(StackOverflowError.class);
        assertThat(woken()).containsExactly(0, 1, 2, 3);
    }

    @Test
    void waiterWhoseTimeEndsAtItsWakeUpWakesOthers() throws Exception {
        add(4);
        duringWait = tree::release;

        endWait(3);
        assertThat(woken()).containsExactly(0, 1, 2, 3);
    }

    @Test
    void secondReleaseContinuesTheFirst() throws Exception {
        add(4);
        tree.release();
        tree.release();

        assertThat(woken()).containsExactly(0, 1, 2, 3);
    }

    @Test
    void waitersThatHaveLeftAreNotKept() throws Exception {
        add(1);
        for (int i = 0; i < 1_000; i++) {
            tree.await(impatient, LONG);
        }
        add(1);
        for (int i = 0; i < 1_000; i++) {
            tree.await(impatient, LONG);
        }

        assertThat(tree.size()).isLessThanOrEqualTo(4);
        tree.release();
        assertThat(woken()).containsExactly(0, 1);
    }

    /** A test that advances the clock next would otherwise count those that are released, but not woken yet. */
    @Test
    void nobodyWaitsForTheClockOnceTheTreeIsReleased() throws Exception {
        add(3);
        assertThat(waiters).extracting(Waiter::getCount).containsOnly(1L);

        tree.release();
        assertThat(woken()).doesNotContain(0);
        assertThat(waiters).extracting(Waiter::getCount).containsOnly(0L);
    }

    @Test
    void allThreadsReturnWhetherReleasedInterruptedOrLate() throws Exception {
        VirtualTime time = new VirtualTime();
        try (Callers callers = new Callers()) {
            List<Call<Boolean>> patient = waiting(callers, time, 40, Duration.ofHours(2));
            List<Call<Boolean>> brief = waiting(callers, time, 20, Duration.ofHours(1));
            List<Call<Boolean>> interrupted = waiting(callers, time, 20, Duration.ofHours(2));
            time.awaitWaiting(80);

            interrupted.forEach(Call::interrupt);
            for (Call<Boolean> call : interrupted) {
                assertThat(call.failure()).isInstanceOf(InterruptedException.class);
            }
            time.advance(Duration.ofHours(1));
            for (Call<Boolean> call : brief) {
                assertThat(call.result()).isFalse();
            }
            tree.release();
            for (Call<Boolean> call : patient) {
                assertThat(call.result()).isTrue();
            }
            assertThat(callers.call(() -> tree.await(time, LONG)).result()).isTrue();
        }
    }

    private List<Call<Boolean>> waiting(Callers callers, TimeSource time, int number, Duration length) {
        return IntStream.range(0, number)
                .mapToObj(i -> callers.call(() -> tree.await(time, length.toNanos())))
                .toList();
    }
}
