package io.stampedeguard.redis.internal.combine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.pipeline.Pipelines.Reply;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.time.TimeSource;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Many threads read counters that only grow: no answer is older than its call, each call ends, in the end nobody waits, and no
 * request that must not be sent again is, whatever happens to senders and waiting callers. The time limit is for a caller that
 * hangs: beside model checkers, a run takes minutes.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
final class CombinerStressTest {
    private static final int THREADS = 32;
    private static final int KEYS = 8;
    private static final int LANES = 4;

    private final AtomicLongArray counters = new AtomicLongArray(KEYS);
    private final AtomicLong batches = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();

    /** The requests that must not be sent again, each equal only to itself. */
    private final Set<byte[]> sentOnce = ConcurrentHashMap.newKeySet();

    private final AtomicLong sentTwice = new AtomicLong();

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
        run(20_000, true);
    }

    private void run(int reads, boolean faults) throws Exception {
        long seed = ThreadLocalRandom.current().nextLong();
        Combiner<byte[], byte[]> combiner = new Combiner<>(new Counters(seed, faults), LANES, TimeSource.system());
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
        assertThat(sentOnce).isNotEmpty();
        assertThat(sentTwice).as("requests that were sent again").hasValue(0);
        Fleet.until(combiner::isIdle);
    }

    private void read(Combiner<byte[], byte[]> combiner, int reads, Random random, boolean faults) {
        for (int i = 0; i < reads; i++) {
            int key = random.nextInt(KEYS);
            Duration patience = faults && random.nextInt(10) == 0 ? Duration.ofNanos(1) : Duration.ofMinutes(1);
            if (faults && random.nextInt(20) == 0) {
                Thread.currentThread().interrupt();
            }
            boolean isOnce = random.nextBoolean();
            Turn turn = isOnce ? Turn.of(patience).once() : Turn.of(patience);
            byte[] request = {(byte) key, (byte) (isOnce ? 1 : 0)};
            long before = counters.incrementAndGet(key);
            try {
                byte[] answer = combiner.send(turn, isOnce ? request : "key" + key, request);
                assertThat(ByteBuffer.wrap(answer).getLong())
                        .as("answer for key %d", key)
                        .isBetween(before, counters.get(key));
            } catch (JedisException mayHappen) {
                assertThat(faults).isTrue();
                assertThat(isOnce || RedisFailure.isOfCaller(mayHappen) || mayHappen instanceof JedisDataException)
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
    private final class Counters implements Combiner.Transport<byte[], byte[]> {
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
        public byte[] send(Turn turn, byte[] key) {
            Thread.yield();
            return value(key);
        }

        @Override
        public List<Reply> sendAll(Turn turn, Supplier<List<byte[]>> chosen) {
            int fault = faults ? new Random(seed + calls.incrementAndGet()).nextInt(20) : -1;
            failIf(fault == 0, new JedisException(new InterruptedException()));
            List<byte[]> keys = chosen.get();
            batches.incrementAndGet();
            List<Reply> replies = new ArrayList<>();
            for (byte[] key : keys) {
                Thread.yield();
                replies.add(Reply.of(value(key)));
            }
            failIf(fault == 1, new JedisConnectionException(new SocketException("Closed by interrupt")));
            failIf(fault == 2, new JedisDataException("refused"));
            if (fault == 3) {
                throw new StackOverflowError();
            }
            return replies;
        }

        @Override
        public int length(byte[] key, byte[] value) {
            return value.length;
        }

        @Override
        public byte[] copy(byte[] value) {
            return value.clone();
        }

        private void failIf(boolean fails, JedisException failure) {
            if (fails) {
                throw failure;
            }
        }

        private byte[] value(byte[] key) {
            if (key[1] == 1 && !sentOnce.add(key)) {
                sentTwice.incrementAndGet();
            }
            return ByteBuffer.allocate(Long.BYTES).putLong(counters.get(key[0])).array();
        }
    }
}
