package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.stampedeguard.store.LeaseRequest;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.StoreException;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fleet.WallClock;
import io.stampedeguard.testbed.measure.RedisCommands;
import io.stampedeguard.testbed.measure.StandstillMeter;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** A server that stands still keeps its connections and answers nothing. */
class StalledServerTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    /** Anything below is one timeout, once the time is left out in which this process stood still. */
    private static final Duration TWO_TIMEOUTS = TIMEOUT.multipliedBy(2).minusNanos(1);

    private static final Duration LONG = Duration.ofMinutes(1);

    private final StandstillMeter standstills = StandstillMeter.start(Duration.ofMillis(5), () -> {});
    private final RedisProcess server = RedisServer.startProcess();
    private final LeaseToken token = LeaseToken.next();
    private RedisStore store;

    @BeforeEach
    void connectAndStall() {
        store = RedisStore.connect(server.uri(), options(8).build());
        store.put("stalled:1", token.toBytes(), LONG);
        server.pause();
    }

    private static RedisStoreOptions.Builder options(int connections) {
        return RedisStoreOptions.builder()
                .commandTimeout(TIMEOUT)
                .borrowTimeout(TIMEOUT)
                .maxConnections(connections);
    }

    @AfterEach
    void stop() {
        store.close();
        server.close();
        standstills.close();
    }

    @Test
    void aReadCostsOneTimeoutAndNotTwo() {
        assertThat(timeOf(() -> store.read("stalled:1"), "could not read 'stalled:1' at 127.0.0.1:%d: Read timed out"))
                .isLessThan(TWO_TIMEOUTS);
    }

    @Test
    void aLeaseCostsOneTimeoutAndNotTwo() {
        assertThat(timeOf(
                        () -> store.lease("stalled:1", token, token, LONG),
                        "could not take the lease of 'stalled:1' at 127.0.0.1:%d: Read timed out"))
                .isLessThan(TWO_TIMEOUTS);
    }

    @Test
    void manyKeysCostOneTimeoutAndNotTwo() {
        List<String> keys = List.of("stalled:1", "stalled:2", "stalled:3");
        assertThat(timeOf(() -> store.readAll(keys), "could not read 3 keys at 127.0.0.1:%d: Read timed out"))
                .isLessThan(TWO_TIMEOUTS);
        assertThat(timeOf(
                        () -> store.leaseAll(
                                keys.stream()
                                        .map(key -> new LeaseRequest(key, token, null))
                                        .toList(),
                                LONG),
                        "could not take the leases of 3 keys at 127.0.0.1:%d: Read timed out"))
                .isLessThan(TWO_TIMEOUTS);
    }

    @Test
    void theClockCostsNothingWhileItIsFresh() {
        server.resume();
        try (Jedis admin = new Jedis(server.host(), server.port())) {
            RedisCommands before = RedisCommands.parse(admin.info("commandstats"));
            store.currentTimeMillis();
            assertThat(RedisCommands.parse(admin.info("commandstats")).since(before))
                    .as("commands")
                    .isZero();
        }
    }

    @Test
    void itCostsOneTimeoutAlsoThoseBehindWhomOthersQueueForAConnection() throws Exception {
        int callers = 32;
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        List<Future<Duration>> costs = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            Callable<Duration> caller = () -> timeOf(() -> store.read("stalled:1"), "could not read 'stalled:1'");
            costs.add(threads.submit(caller));
        }
        for (Future<Duration> cost : costs) {
            assertThat(cost.get()).isLessThan(TWO_TIMEOUTS);
        }
        threads.shutdown();
    }

    @Test
    void whenItGoesOnSoDoesTheStore() {
        assertThatThrownBy(() -> store.read("stalled:1")).isInstanceOf(StoreException.class);
        server.resume();
        assertThat(store.read("stalled:1")).isEqualTo(token.toBytes());
    }

    @Test
    void whoFindsNoFreeConnectionIsToldWithinTheBorrowTimeout() throws Exception {
        RedisStoreOptions narrow = options(1)
                .commandTimeout(Duration.ofSeconds(20))
                .borrowTimeout(Duration.ofMillis(100))
                .build();
        try (TwoReaders readers = twoReadersOnAStalledServer(narrow)) {
            assertThat(readers.queued().get())
                    .isEqualTo("could not read 'stalled:1' at 127.0.0.1:%d: no connection of the pool came free in time"
                            .formatted(server.port()));
            assertThat(readers.onTheWire().isDone()).isFalse();
        }
    }

    @Test
    void anInterruptOfTheWaitForAConnectionIsReportedAndKept() throws Exception {
        RedisStoreOptions narrow = options(1)
                .commandTimeout(Duration.ofSeconds(20))
                .borrowTimeout(Duration.ofSeconds(20))
                .build();
        try (TwoReaders readers = twoReadersOnAStalledServer(narrow)) {
            readers.queuedThread().interrupt();
            assertThat(readers.queued().get()).endsWith(": interrupted, and the thread knows");
        }
    }

    /** One of the two has the only connection, the other waits for it. */
    private record TwoReaders(
            RedisStore store, FutureTask<String> onTheWire, FutureTask<String> queued, Thread queuedThread)
            implements AutoCloseable {
        @Override
        public void close() {
            store.close();
        }
    }

    private TwoReaders twoReadersOnAStalledServer(RedisStoreOptions options) {
        server.resume();
        RedisStore narrow = RedisStore.connect(server.uri(), options);
        server.pause();
        List<FutureTask<String>> tasks = List.of(reader(narrow), reader(narrow));
        List<Thread> threads = tasks.stream().map(Thread::new).toList();
        threads.forEach(Thread::start);
        Fleet.until(() -> threads.stream().anyMatch(StalledServerTest::isQueuedOrWas));
        int queued = isQueuedOrWas(threads.get(0)) ? 0 : 1;
        return new TwoReaders(narrow, tasks.get(1 - queued), tasks.get(queued), threads.get(queued));
    }

    /** Reading from a socket is not waiting, for Java, and takes longer than queueing. */
    private static boolean isQueuedOrWas(Thread reader) {
        return reader.getState() == Thread.State.TIMED_WAITING || reader.getState() == Thread.State.TERMINATED;
    }

    private static FutureTask<String> reader(RedisStore store) {
        return new FutureTask<>(() -> {
            StoreException failure = catchThrowableOfType(StoreException.class, () -> store.read("stalled:1"));
            return failure.getMessage() + (Thread.currentThread().isInterrupted() ? ", and the thread knows" : "");
        });
    }

    @Test
    void whoIsCaughtByACloseIsToldAsOfAnyFailure() throws Exception {
        TwoReaders readers = twoReadersOnAStalledServer(options(1).build());
        readers.close();
        assertThat(readers.onTheWire().get()).startsWith("could not read 'stalled:1'");
        assertThat(readers.queued().get()).startsWith("could not read 'stalled:1'");
    }

    @Test
    void connectingCostsOneTimeoutAndWorksLater() {
        LogLines log = LogLines.of(() -> {
            long start = WallClock.micros();
            try (RedisStore late = RedisStore.connect(server.uri(), options(8).build())) {
                assertThat(runningSince(start)).isLessThan(TWO_TIMEOUTS);
                server.resume();
                assertThat(late.read("stalled:1")).isEqualTo(token.toBytes());
            }
        });
        assertThat(log.lines()).singleElement().asString().contains("Read timed out");
    }

    private Duration timeOf(ThrowingCallable call, String message) {
        long start = WallClock.micros();
        assertThatThrownBy(call)
                .isInstanceOf(StoreException.class)
                .hasMessageStartingWith(message.formatted(server.port()));
        return runningSince(start);
    }

    private Duration runningSince(long startMicros) {
        return Duration.ofNanos(
                TimeUnit.MICROSECONDS.toNanos(standstills.runningMicros(startMicros, WallClock.micros())));
    }
}
