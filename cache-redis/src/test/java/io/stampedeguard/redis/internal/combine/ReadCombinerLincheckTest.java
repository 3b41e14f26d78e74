package io.stampedeguard.redis.internal.combine;

import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.pipeline.Pipelines.Reply;
import io.stampedeguard.testkit.ExploresSchedules;
import io.stampedeguard.testkit.Schedules;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Explores the schedules of three callers and one lane, switch by switch, for one that breaks a promise. Plain conditions instead
 * of assertions, because Lincheck instruments this code.
 */
@ExploresSchedules
class ReadCombinerLincheckTest {
    private static final byte[] KEY = {1};
    private static final Duration PATIENCE = Duration.ofHours(1);
    private static final int MOST_BEATS = 2;

    @Test
    void eachCallerIsAnsweredAndNoRoleIsLeft() {
        inEachSchedule(() -> {
            Counter counter = new Counter(Waits.FOR_EVER);
            return counter.answersAll() && counter.isIdle();
        });
    }

    @Test
    void eachCallerIsAnsweredWhetherItIsOverdueOrNot() {
        inEachSchedule(() -> {
            Counter counter = new Counter(Waits.NOT_AT_ALL_AT_FIRST);
            return counter.answersAll() && counter.isIdle();
        });
    }

    @Test
    void eachCallerIsAnsweredOrFailsByItselfIfTheFirstSenderFails() {
        inEachSchedule(() -> {
            Counter counter = new Counter(Waits.FOR_EVER);
            counter.failures.set(1);
            return counter.answersAllBut(1) && counter.isIdle();
        });
    }

    @Test
    void whosePatienceEndsReadsByItselfAndTheOthersAreAnswered() {
        inEachSchedule(() -> {
            Counter counter = new Counter(Waits.NOT_AT_ALL);
            return counter.answersAll() && counter.isIdle();
        });
    }

    /** Returns how many schedules are explored for each test. */
    int schedules() {
        return 100;
    }

    private void inEachSchedule(BooleanSupplier promise) {
        Counter.useEachClass();
        Schedules.explore(schedules(), promise);
    }

    /** How long callers wait: the time that has passed at each beat of the watch. */
    private enum Waits {
        FOR_EVER(0),
        NOT_AT_ALL_AT_FIRST(ReadCombiner.OVERDUE_NANOS),
        NOT_AT_ALL(PATIENCE.toNanos());

        private final long eachBeatNanos;

        Waits(long eachBeatNanos) {
            this.eachBeatNanos = eachBeatNanos;
        }
    }

    /** A clock that goes on when a timer has ended, at any moment, a few times. */
    private static final class Clock implements TimeSource {
        private final Waits waits;
        private final List<Thread> beats = new ArrayList<>();
        private volatile long now;

        Clock(Waits waits) {
            this.waits = waits;
        }

        @Override
        public long wallMillis() {
            return 0;
        }

        @Override
        public long monotonicNanos() {
            return now;
        }

        @Override
        public boolean await(CountDownLatch latch, long nanos) throws InterruptedException {
            latch.await();
            return true;
        }

        /** At most one timer is set, so this needs no lock. */
        @Override
        public Timer schedule(long nanos, Runnable task) {
            if (waits != Waits.FOR_EVER && beats.size() < MOST_BEATS) {
                Thread beat = new Thread(() -> {
                    now += waits.eachBeatNanos;
                    task.run();
                });
                beats.add(beat);
                beat.start();
            }
            return () -> {};
        }

        void join() {
            for (int i = 0; i < beats.size(); i++) { // a beat may set the next one
                Schedules.join(beats.get(i));
            }
        }
    }

    /** A counter that grows, and is read by three callers at once. */
    private static final class Counter implements ReadCombiner.Reader {
        private final AtomicInteger counter = new AtomicInteger();
        private final AtomicInteger failures = new AtomicInteger();
        private final Clock clock;
        private final ReadCombiner reads;
        private @Nullable CountDownLatch answers;

        Counter(Waits waits) {
            this(waits, 1);
        }

        private Counter(Waits waits, int lanes) {
            clock = new Clock(waits);
            reads = new ReadCombiner(this, clock, lanes);
        }

        /** Takes each path once, whatever the speed of the threads: {@link Schedules#explore} says why. */
        static void useEachClass() {
            for (Waits waits : Waits.values()) {
                for (int failures = 0; failures <= 1; failures++) {
                    Counter counter = new Counter(waits, 0);
                    counter.failures.set(failures);
                    counter.answersThreeTogether();
                }
            }
        }

        /** Without a lane, the first caller sends a batch, which is not answered before the two others wait or send their own. */
        private void answersThreeTogether() {
            Caller first = new Caller(this);
            Caller second = new Caller(this);
            Caller third = new Caller(this);
            answers = new CountDownLatch(1);
            for (Caller each : List.of(first, second, third)) {
                each.start();
                while (each.getState() != Thread.State.WAITING && each.getState() != Thread.State.TERMINATED) {
                    Thread.onSpinWait();
                }
            }
            answers.countDown();
            List.of(first, second, third).forEach(Schedules::join);
            clock.join();
        }

        boolean answersAll() {
            return answersAllBut(0);
        }

        /** Reads as three callers; returns whether no more of them than allowed failed, and no answer is older than its call. */
        boolean answersAllBut(int allowed) {
            Caller second = new Caller(this);
            Caller third = new Caller(this);
            second.start();
            third.start();
            Caller first = new Caller(this);
            first.read();
            Schedules.join(second);
            Schedules.join(third);
            clock.join();
            return first.isRight
                    && second.isRight
                    && third.isRight
                    && first.failures + second.failures + third.failures <= allowed;
        }

        boolean isIdle() {
            return reads.isIdle();
        }

        @Override
        public void check(Turn turn, byte[] key) {}

        @Override
        public byte[] read(Turn turn, byte[] key) {
            return new byte[] {(byte) counter.get()};
        }

        @Override
        public List<Reply> readAll(Turn turn, Supplier<byte[][]> chosen) {
            byte[][] keys = chosen.get();
            if (answers != null) {
                await(answers);
            }
            if (failures.getAndDecrement() > 0) {
                throw new JedisException(new InterruptedException());
            }
            List<Reply> replies = new ArrayList<>();
            for (byte[] key : keys) {
                replies.add(Reply.of(read(turn, key)));
            }
            return replies;
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static final class Caller extends Thread {
        private final Counter counter;
        private boolean isRight;
        private int failures;

        Caller(Counter counter) {
            this.counter = counter;
        }

        @Override
        public void run() {
            read();
        }

        void read() {
            int before = counter.counter.incrementAndGet();
            try {
                byte[] answer = counter.reads.read(Turn.of(PATIENCE), "key", KEY);
                isRight = answer[0] >= before;
            } catch (JedisException ofThisCaller) {
                isRight = true;
                failures = 1;
            }
        }
    }
}
