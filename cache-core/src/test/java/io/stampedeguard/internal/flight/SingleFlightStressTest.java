package io.stampedeguard.internal.flight;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.flight.Flight.Membership;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many threads on one key: one leader at a time, and no caller gets the result of a load that ended before it came. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class SingleFlightStressTest {
    private static final int THREADS = 8;

    private final SingleFlight<Long> flights = new SingleFlight<>(Runnable::run, () -> 0);
    private final AtomicInteger leadersOnTheMap = new AtomicInteger();
    private final AtomicInteger mostLeaders = new AtomicInteger();
    private final AtomicLong published = new AtomicLong();
    private final AtomicInteger followed = new AtomicInteger();

    @Test
    void oneLeaderAtATimeAndNoOldAnswers() throws Exception {
        joinFromAllThreads(1_000);
    }

    @Test
    @Tag("proof")
    void manyJoinsNeverHaveTwoLeadersAtOnceOrOldAnswers() throws Exception {
        joinFromAllThreads(50_000);
    }

    private void joinFromAllThreads(int joins) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            Callable<Integer> caller = () -> {
                int oldAnswers = 0;
                for (int i = 0; i < joins; i++) {
                    oldAnswers += callOnce() ? 0 : 1;
                }
                return oldAnswers;
            };
            List<Future<Integer>> callers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                callers.add(threads.submit(caller));
            }
            for (Future<Integer> running : callers) {
                assertThat(running.get()).as("answers older than their call").isZero();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(mostLeaders.get()).isEqualTo(1);
        assertThat(followed.get()).as("callers who followed").isPositive();
    }

    /** One call; returns false if its answer had been published before it began. */
    private boolean callOnce() throws InterruptedException {
        long publishedBefore = published.get();
        Membership<Long> membership = flights.join("key");
        if (membership.leads()) {
            lead(membership.flight());
            return true;
        }
        followed.incrementAndGet();
        membership.await(TimeSource.system(), Long.MAX_VALUE);
        Long answer = membership.result();
        return answer == null || answer > publishedBefore;
    }

    private void lead(Flight<Long> flight) {
        mostLeaders.accumulateAndGet(leadersOnTheMap.incrementAndGet(), Math::max);
        flight.beginAttempt();
        Thread.yield();
        leadersOnTheMap.decrementAndGet();
        flight.detach();
        flight.completeForAll(published.incrementAndGet());
    }
}
