package io.stampedeguard.redis.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.internal.connect.ConnectionPermits.ConnectionQueue;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.VirtualTime;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ConnectionQueueTest {
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    private final VirtualTime time = new VirtualTime();
    private final ConnectionQueue queue = new ConnectionQueue(1, time);

    private FutureTask<Boolean> enterInBackground(boolean holdsLease, long patienceNanos) {
        int before = queue.waiting();
        FutureTask<Boolean> caller = new FutureTask<>(() -> queue.enter(holdsLease, patienceNanos));
        Thread thread = new Thread(caller);
        thread.setDaemon(true);
        thread.start();
        Fleet.until(() -> queue.waiting() == before + 1);
        return caller;
    }

    @Test
    void callersAreAdmittedInTheOrderInWhichTheyCame() throws Exception {
        assertThat(queue.tryEnter(false)).isTrue();
        List<Integer> admitted = new CopyOnWriteArrayList<>();
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            Thread caller = new Thread(() -> {
                try {
                    queue.enter(false, HOUR);
                    admitted.add(number);
                    queue.leave();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            callers.add(caller);
            caller.start();
            Fleet.until(() -> queue.waiting() == number + 1);
        }
        queue.leave();
        for (Thread caller : callers) {
            caller.join();
        }
        assertThat(admitted).containsExactly(0, 1, 2, 3, 4);
        assertThat(queue.free()).isEqualTo(1);
    }

    @Test
    void newcomersMayPassForAMomentOnly() throws Exception {
        assertThat(queue.tryEnter(false)).isTrue();
        FutureTask<Boolean> waiting = enterInBackground(false, HOUR);
        assertThat(queue.mayPass(false)).isTrue();

        time.advance(Duration.ofNanos(ConnectionQueue.PASSING_NANOS));
        assertThat(queue.mayPass(false)).isFalse();
        queue.leave();

        assertThat(waiting.get()).isTrue();
        assertThat(queue.mayPass(false)).as("nobody waits any more").isTrue();
    }

    @Test
    void callerWhosePatienceIsOverLeavesTheQueue() throws Exception {
        assertThat(queue.tryEnter(false)).isTrue();
        assertThat(queue.enter(false, 1)).isFalse();
        assertThat(queue.waiting()).isZero();
        queue.leave();
        assertThat(queue.tryEnter(false)).isTrue();
    }

    @Test
    void leaseHolderComesBeforeThoseWhoHaveWaitedLonger() throws Exception {
        assertThat(queue.tryEnter(false)).isTrue();
        FutureTask<Boolean> reader = enterInBackground(false, HOUR);
        FutureTask<Boolean> leaseHolder = enterInBackground(true, HOUR);
        assertThat(queue.mayPass(false)).isFalse();
        assertThat(queue.mayPass(true)).isTrue();
        time.advance(Duration.ofNanos(ConnectionQueue.PASSING_NANOS));
        assertThat(queue.mayPass(true))
                .as("another lease holder has waited for too long")
                .isFalse();

        queue.leave();

        assertThat(leaseHolder.get()).isTrue();
        assertThat(reader).isNotDone();
        queue.leave();
        assertThat(reader.get()).isTrue();
    }

    @Test
    void whoeverIsInterruptedWhileWokenPassesTheConnectionOn() throws Exception {
        for (int round = 0; round < 1_000; round++) {
            assertThat(queue.tryEnter(true)).isTrue();
            FutureTask<Boolean> first = new FutureTask<>(() -> queue.enter(false, HOUR));
            Thread interrupted = new Thread(first);
            interrupted.start();
            Fleet.until(() -> queue.waiting() == 1);
            FutureTask<Boolean> second = enterInBackground(false, HOUR);

            Thread leaver = new Thread(queue::leave);
            leaver.start();
            interrupted.interrupt();
            leaver.join();
            interrupted.join();

            if (wasAdmitted(first)) {
                queue.leave();
            }
            assertThat(second.get()).isTrue();
            queue.leave();
            assertThat(queue.free()).isEqualTo(1);
        }
    }

    private static boolean wasAdmitted(FutureTask<Boolean> caller) throws InterruptedException {
        try {
            return caller.get();
        } catch (ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(InterruptedException.class);
            return false;
        }
    }

    @Test
    void noWakeUpIsLostAmongMany() throws Exception {
        ConnectionQueue three = new ConnectionQueue(3, TimeSource.system());
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<FutureTask<Integer>> callers = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            boolean holdsLease = i % 8 == 0;
            FutureTask<Integer> caller = new FutureTask<>(() -> {
                int admitted = 0;
                for (int call = 0; call < 5_000; call++) {
                    if (three.tryEnter(holdsLease) || three.enter(holdsLease, call % 3 == 0 ? 1_000 : HOUR)) {
                        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        admitted++;
                        inside.decrementAndGet();
                        three.leave();
                    }
                }
                return admitted;
            });
            callers.add(caller);
            new Thread(caller).start();
        }
        for (FutureTask<Integer> caller : callers) {
            assertThat(caller.get()).isPositive();
        }
        assertThat(most.get()).isLessThanOrEqualTo(3);
        assertThat(three.free()).isEqualTo(3);
        assertThat(three.waiting()).isZero();
    }
}
