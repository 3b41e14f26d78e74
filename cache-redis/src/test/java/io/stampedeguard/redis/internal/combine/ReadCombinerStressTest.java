package io.stampedeguard.redis.internal.combine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.pipeline.Pipelines.Reply;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.time.TimeSource;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Many threads read counters that only grow: no answer is older than its call, each call ends, and in the end nobody waits,
 * whatever happens to senders and waiting callers.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class ReadCombinerStressTest {
    private static final int THREADS = 32;
    private static final int KEYS = 8;

    private final AtomicLongArray counters = new AtomicLongArray(KEYS);
    private final AtomicLong batches = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();

    @Test
    void answersAreNotOlderThanTheirCalls() throws Exception {
        run(500, false);
    }

    @Test
    void answersAreNotOlderThanTheirCallsWhateverHappensToTheirSenders() throws Exception {
        run(500, true);
        assertThat(failed).as("calls that have failed").hasPositiveValue();
    }

    @Test
    @Tag("proof")
    void answersAreNotOlderThanTheirCallsHoweverLongItLasts() throws Exception {
        run(50_000, true);
    }

    private void run(int reads, boolean faults) throws Exception {
        long seed = ThreadLocalRandom.current().nextLong();
        ReadCombiner combiner = new ReadCombiner(new Counters(seed, faults), TimeSource.system());
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> readers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Random random = new Random(seed + i);
                readers.add(threads.submit(() -> read(combiner, reads, random, faults)));
            }
            for (Future<?> reader : readers) {
                reader.get();
            }
        } catch (Exception | AssertionError e) {
            throw new AssertionError("seed " + seed, e);
        } finally {
            threads.shutdownNow();
        }
        assertThat(batches).as("batches").hasPositiveValue();
        Fleet.until(combiner::isIdle);
    }

    private void read(ReadCombiner combiner, int reads, Random random, boolean faults) {
        for (int i = 0; i < reads; i++) {
            int key = random.nextInt(KEYS);
            Duration patience = faults && random.nextInt(10) == 0 ? Duration.ofNanos(1) : Duration.ofMinutes(1);
            if (faults && random.nextInt(20) == 0) {
                Thread.currentThread().interrupt();
            }
            long before = counters.incrementAndGet(key);
            try {
                byte[] answer = combiner.read(Turn.of(patience), "key" + key, new byte[] {(byte) key});
                assertThat(ByteBuffer.wrap(answer).getLong())
                        .as("answer for key %d", key)
                        .isBetween(before, counters.get(key));
            } catch (JedisException mayHappen) {
                assertThat(faults).isTrue();
                assertThat(RedisFailure.isOfCaller(mayHappen) || mayHappen instanceof JedisDataException)
                        .as("the failure is that of this caller: %s", mayHappen)
                        .isTrue();
                failed.incrementAndGet();
            } catch (StackOverflowError ofThisSender) {
                failed.incrementAndGet();
            }
            Thread.interrupted();
        }
    }

    /** A server of counters. With faults, senders fail now and then before or after their turn. */
    private final class Counters implements ReadCombiner.Reader {
        private final AtomicInteger calls = new AtomicInteger();
        private final long seed;
        private final boolean faults;

        Counters(long seed, boolean faults) {
            this.seed = seed;
            this.faults = faults;
        }

        @Override
        public void check(Turn turn, byte[] key) {}

        @Override
        public byte[] read(Turn turn, byte[] key) {
            Thread.yield();
            return value(key);
        }

        @Override
        public List<Reply> readAll(Turn turn, Supplier<byte[][]> chosen) {
            int fault = faults ? new Random(seed + calls.incrementAndGet()).nextInt(20) : -1;
            failIf(fault == 0, new JedisException(new InterruptedException()));
            byte[][] keys = chosen.get();
            batches.incrementAndGet();
            List<Reply> replies = new ArrayList<>();
            for (byte[] key : keys) {
                Thread.yield();
                replies.add(Reply.of(value(key)));
            }
            failIf(fault == 1, new JedisException(new InterruptedException()));
            failIf(fault == 2, new JedisDataException("refused"));
            if (fault == 3) {
                throw new StackOverflowError();
            }
            return replies;
        }

        private void failIf(boolean fails, JedisException failure) {
            if (fails) {
                throw failure;
            }
        }

        private byte[] value(byte[] key) {
            return ByteBuffer.allocate(Long.BYTES).putLong(counters.get(key[0])).array();
        }
    }
}
