package io.stampedeguard.redis.internal.combine;

import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.pipeline.Pipelines.Reply;
import io.stampedeguard.testkit.ExploresSchedules;
import io.stampedeguard.testkit.Schedules;
import io.stampedeguard.time.TimeSource;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Explores the schedules of three callers and one lane, switch by switch, for one that breaks a promise. Plain conditions instead
 * of assertions, because Lincheck instruments this code.
 */
@ExploresSchedules
class CombinerLincheckTest {
    private static final int CALLERS = 3;
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
    void atMostOneCallerFailsIfTheFirstSenderFails() {
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

    @Test
    void unrepeatableRequestIsNeverSentTwiceWhateverHappensToItsSender() {
        inEachSchedule(() -> {
            Counter counter = new Counter(Waits.NOT_AT_ALL_AT_FIRST);
            counter.isOnce = true;
            counter.failures.set(1);
            return counter.answersAllBut(CALLERS) && counter.isIdle() && counter.sendsNoneTwice();
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
        NOT_AT_ALL_AT_FIRST(WaitingCallers.OVERDUE_NANOS),
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
    private static final class Counter implements Combiner.Transport<byte[], byte[]> {
        private final AtomicInteger counter = new AtomicInteger();
        private final AtomicInteger failures = new AtomicInteger();
        private final AtomicIntegerArray sent = new AtomicIntegerArray(CALLERS);
        private final Clock clock;
        private boolean isOnce;
        private final Combiner<byte[], byte[]> reads;
        private @Nullable CountDownLatch answers;

        Counter(Waits waits) {
            this(waits, 1);
        }

        private Counter(Waits waits, int lanes) {
            clock = new Clock(waits);
            reads = new Combiner<>(this, lanes, clock);
        }

        /** Takes each path once, whatever the speed of the threads: {@link Schedules#explore} says why. */
        static void useEachClass() {
            for (Waits waits : Waits.values()) {
                for (int variant = 0; variant < 4; variant++) {
                    Counter counter = new Counter(waits, 0);
                    counter.failures.set(variant % 2);
                    counter.isOnce = variant > 1;
                    counter.answersThreeTogether();
                }
            }
        }

        /** Without a lane, the first caller sends a batch, which is not answered before the two others wait or send their own. */
        private void answersThreeTogether() {
            Caller first = new Caller(this, 0);
            Caller second = new Caller(this, 1);
            Caller third = new Caller(this, 2);
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
            Caller second = new Caller(this, 1);
            Caller third = new Caller(this, 2);
            second.start();
            third.start();
            Caller first = new Caller(this, 0);
            first.read();
            Schedules.join(second);
            Schedules.join(third);
            clock.join();
            return first.isRight
                    && second.isRight
                    && third.isRight
                    && first.failures + second.failures + third.failures <= allowed;
        }

        boolean sendsNoneTwice() {
            return sent.get(0) <= 1 && sent.get(1) <= 1 && sent.get(2) <= 1;
        }

        boolean isIdle() {
            return reads.isIdle();
        }

        @Override
        public void check(Turn turn, byte[] key) {}

        @Override
        public byte[] send(Turn turn, byte[] key) {
            sent.incrementAndGet(key[0]);
            return new byte[] {(byte) counter.get()};
        }

        @Override
        public List<Reply> sendAll(Turn turn, Supplier<List<byte[]>> chosen) {
            List<byte[]> keys = chosen.get();
            if (answers != null) {
                await(answers);
            }
            boolean fails = failures.getAndDecrement() > 0;
            if (fails && !isOnce) {
                throw new JedisException(new InterruptedException());
            }
            List<Reply> replies = new ArrayList<>();
            for (byte[] key : keys) {
                replies.add(Reply.of(send(turn, key)));
            }
            if (fails) {
                throw new JedisConnectionException(new SocketException("Closed by interrupt"));
            }
            return replies;
        }

        @Override
        public int length(byte[] key, byte[] value) {
            return value.length;
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
        private final byte[] key;
        private boolean isRight;
        private int failures;

        Caller(Counter counter, int number) {
            this.counter = counter;
            this.key = new byte[] {(byte) number};
        }

        @Override
        public void run() {
            read();
        }

        void read() {
            int before = counter.counter.incrementAndGet();
            try {
                Turn turn = counter.isOnce ? Turn.of(PATIENCE).once() : Turn.of(PATIENCE);
                byte[] answer = counter.reads.send(turn, counter.isOnce ? key : "key", key);
                isRight = answer[0] >= before;
            } catch (JedisException ofThisCaller) {
                isRight = true;
                failures = 1;
            }
        }
    }
}
