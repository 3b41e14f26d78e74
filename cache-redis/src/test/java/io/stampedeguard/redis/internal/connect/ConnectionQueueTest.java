package io.stampedeguard.redis.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ConnectionQueueTest {
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    private final VirtualTime time = new VirtualTime();
    private final ConnectionQueue queue = new ConnectionQueue(1, time);

    private FutureTask<Boolean> enterInBackground(long patienceNanos) {
        int before = queue.waiting();
        FutureTask<Boolean> caller = new FutureTask<>(() -> queue.enter(patienceNanos));
        Thread thread = new Thread(caller);
        thread.setDaemon(true);
        thread.start();
        Fleet.until(() -> queue.waiting() == before + 1);
        return caller;
    }

    @Test
    void callersAreAdmittedInTheOrderInWhichTheyCame() throws Exception {
        assertThat(queue.tryEnter()).isTrue();
        List<Integer> admitted = new CopyOnWriteArrayList<>();
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            Thread caller = new Thread(() -> {
                try {
                    queue.enter(HOUR);
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
        assertThat(queue.tryEnter()).isTrue();
        FutureTask<Boolean> waiting = enterInBackground(HOUR);
        assertThat(queue.mayPass()).isTrue();

        time.advance(Duration.ofNanos(ConnectionQueue.PASSING_NANOS));
        assertThat(queue.mayPass()).isFalse();
        queue.leave();

        assertThat(waiting.get()).isTrue();
        assertThat(queue.mayPass()).as("nobody waits any more").isTrue();
    }

    @Test
    void callerWhosePatienceIsOverLeavesTheQueue() throws Exception {
        assertThat(queue.tryEnter()).isTrue();
        assertThat(queue.enter(1)).isFalse();
        assertThat(queue.waiting()).isZero();
        queue.leave();
        assertThat(queue.tryEnter()).isTrue();
    }
}
