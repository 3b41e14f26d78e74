package io.stampedeguard.redis.internal.combine;

import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.pipeline.Pipelines.Reply;
import io.stampedeguard.testkit.Schedules;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Explores the schedules of three callers and one lane, switch by switch, for one that breaks a promise. Plain conditions instead
 * of assertions, because Lincheck instruments this code.
 */
@Isolated("Lincheck instruments the classes of the whole JVM")
class ReadCombinerLincheckTest {
    private static final byte[] KEY = {1};

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

    /** How long callers wait. */
    private enum Waits {
        FOR_EVER,
        NOT_AT_ALL_AT_FIRST,
        NOT_AT_ALL
    }

    /** A clock that stands still, on which each wait lasts for ever, or not at all. */
    private static final class Clock implements TimeSource {
        private final Waits waits;

        Clock(Waits waits) {
            this.waits = waits;
        }

        @Override
        public long wallMillis() {
            return 0;
        }

        @Override
        public long monotonicNanos() {
            return 0;
        }

        @Override
        public boolean await(CountDownLatch latch, long nanos) throws InterruptedException {
            boolean isFirst = nanos <= ReadCombiner.OVERDUE_NANOS;
            if (waits == Waits.NOT_AT_ALL || (waits == Waits.NOT_AT_ALL_AT_FIRST && isFirst)) {
                return latch.getCount() == 0;
            }
            latch.await();
            return true;
        }

        @Override
        public Timer schedule(long nanos, Runnable task) {
            throw new UnsupportedOperationException();
        }
    }

    /** A counter that grows, and is read by three callers at once. */
    private static final class Counter implements ReadCombiner.Reader {
        private final AtomicInteger counter = new AtomicInteger();
        private final AtomicInteger failures = new AtomicInteger();
        private final ReadCombiner reads;

        Counter(Waits waits) {
            this(waits, 1);
        }

        private Counter(Waits waits, int lanes) {
            reads = new ReadCombiner(this, new Clock(waits), lanes);
        }

        /** Without a lane, each caller sends a batch, and this one fails. */
        static void useEachClass() {
            Counter counter = new Counter(Waits.NOT_AT_ALL, 0);
            counter.failures.set(1);
            counter.answersAllBut(1);
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
                byte[] answer = counter.reads.read(Turn.of(Duration.ofHours(1)), "key", KEY);
                isRight = answer[0] >= before;
            } catch (JedisException ofThisCaller) {
                isRight = true;
                failures = 1;
            }
        }
    }
}
