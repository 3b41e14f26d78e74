package io.stampedeguard.redis.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.stampedeguard.event.BreakerState;
import io.stampedeguard.redis.internal.combine.Combiner;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.pipeline.Pipelines.Reply;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.VirtualTime;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/** Reads that travel together behind a circuit breaker. PINGs find no connection, and prove nothing. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class CombinedExchangeTest {
    private static final Duration PATIENT = Duration.ofHours(1);
    private static final JedisConnectionException TIMEOUT =
            new JedisConnectionException(new SocketTimeoutException("Read timed out"));

    private final VirtualTime time = new VirtualTime();
    private final BackgroundThreads threads = new BackgroundThreads("combined-exchange-test", time);
    private final Breakers breakers = new Breakers(Duration.ofMinutes(1), key -> null, threads, time);
    private final ServerBreaker breaker = breakers.of("a", " at a", sending -> {
        throw new JedisException(new NoSuchElementException("all in use"));
    });
    private final ConnectionPermits permits = new ConnectionPermits(16, breaker, time);
    private final Silent server = new Silent();
    private final Combiner<byte[], byte[]> reads = new Combiner<>(server, 4, time);
    private final List<FutureTask<byte[]>> alone = new ArrayList<>();

    @AfterEach
    void close() {
        server.isOver.countDown();
        breakers.close();
        threads.shutdownNow();
    }

    /** Never answers those that read alone, and lets each batch time out, unless it answers. */
    private final class Silent implements Combiner.Transport<byte[], byte[]> {
        private final CountDownLatch isOver = new CountDownLatch(1);
        private final AtomicInteger reading = new AtomicInteger();
        private final AtomicInteger batches = new AtomicInteger();
        private volatile boolean answers;

        @Override
        public void check(Turn turn, byte[] key) {
            permits.check(turn);
        }

        @Override
        public byte[] send(Turn turn, byte[] key) {
            return permits.admit(turn, () -> {
                hang();
                return new byte[0];
            });
        }

        @Override
        public List<Reply> sendAll(Turn turn, Supplier<List<byte[]>> keys) {
            return permits.admit(turn, () -> {
                List<byte[]> all = keys.get();
                if (all.size() == 1) {
                    hang();
                    return List.of(Reply.of(new byte[0]));
                }
                batches.incrementAndGet();
                if (answers) {
                    return all.stream().map(Reply::of).toList();
                }
                throw TIMEOUT;
            });
        }

        @Override
        public int length(byte[] key, byte[] value) {
            return value.length;
        }

        private void hang() {
            reading.incrementAndGet();
            try {
                isOver.await();
            } catch (InterruptedException e) {
                throw new JedisException(e);
            }
        }
    }

    private FutureTask<byte[]> read(String key) {
        return read(key, Turn.of(PATIENT));
    }

    private FutureTask<byte[]> read(String key, Turn turn) {
        FutureTask<byte[]> call = new FutureTask<>(() -> reads.send(turn, key, key.getBytes(StandardCharsets.UTF_8)));
        Thread thread = new Thread(call);
        thread.setDaemon(true);
        thread.start();
        return call;
    }

    /** Lets some callers wait for a batch. */
    private List<FutureTask<byte[]>> waiting(int callers) throws InterruptedException {
        while (time.waiting() == 0) { // until there is neither a lane nor the role of the sender
            int reading = server.reading.get();
            alone.add(read("alone" + reading));
            Fleet.until(() -> server.reading.get() > reading || time.waiting() > 0);
        }
        List<FutureTask<byte[]>> calls = new ArrayList<>();
        calls.add(alone.remove(alone.size() - 1));
        while (calls.size() < callers) {
            calls.add(read("together" + calls.size()));
        }
        time.awaitWaiting(callers);
        return calls;
    }

    private static Throwable failure(FutureTask<byte[]> call) {
        return catchThrowableOfType(ExecutionException.class, () -> call.get(1, TimeUnit.MINUTES))
                .getCause();
    }

    @Test
    void batchOfManyReadersIsOneExchange() throws Exception {
        List<FutureTask<byte[]>> together = waiting(8);

        time.advance(Duration.ofMillis(1)); // the first of them sends

        assertThat(together).extracting(CombinedExchangeTest::failure).containsOnly(TIMEOUT);
        assertThat(server.batches).hasValue(1);
        assertThat(breakers.breaker()).isEqualTo(BreakerState.CLOSED);
        assertThat(breaker.isInDoubt).isTrue();
    }

    @Test
    void eachMemberKnowsWhenItsRequestWasSent() throws Exception {
        waiting(1);
        List<Turn> turns = new ArrayList<>();
        List<FutureTask<byte[]>> together = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            turns.add(Turn.of(PATIENT));
            together.add(read("member" + i, turns.get(i)));
        }
        time.awaitWaiting(5);
        server.answers = true;
        Duration later = Duration.ofMillis(1);
        long sentNanos = time.monotonicNanos() + later.toNanos();

        time.advance(later);

        for (FutureTask<byte[]> each : together) {
            each.get(1, TimeUnit.MINUTES);
        }
        assertThat(turns).extracting(Turn::sentNanos).containsOnly(sentNanos);
    }

    @Test
    void openBreakerRefusesLaterReadersAtOnceAndWaitingOnesToo() throws Exception {
        List<FutureTask<byte[]>> together = waiting(8);
        breaker.failed(time.monotonicNanos(), TIMEOUT);
        breaker.failed(time.monotonicNanos(), TIMEOUT);
        assertThat(breakers.breaker()).isEqualTo(BreakerState.OPEN);

        FutureTask<byte[]> late = read("late");
        assertThat(failure(late)).isInstanceOf(ServerBreaker.Open.class);
        time.advance(Duration.ofMillis(1));

        assertThat(together).extracting(CombinedExchangeTest::failure).allMatch(ServerBreaker.Open.class::isInstance);
        assertThat(server.batches).hasValue(0);
    }
}
