package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.measure.RedisCommands;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** A server that stalls keeps its connections and answers nothing. */
class StalledServerTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private static final Duration LONG = Duration.ofMinutes(1);
    /** A connection whose client has already given up counts as rejected: in protected mode its address is no local one. */
    private static final Pattern CONNECTIONS =
            Pattern.compile("(?m)^(?:total_connections_received|rejected_connections):(\\d+)");

    private static final List<String> KEYS = List.of("stalled:1", "stalled:2", "stalled:3");

    private final RedisProcess server = RedisServer.startProcess();
    private final LeaseToken token = LeaseToken.next();
    private RedisStore store;
    private Looked before;

    @BeforeEach
    void connectAndStall() {
        store = awaited(this::connectedIfPrompt);
        before = look();
        server.pause();
    }

    /** Returns {@code null}, and leaves nothing behind, if a busy machine took longer than the timeouts, which are short here. */
    private @Nullable RedisStore connectedIfPrompt() {
        RedisStore connected = null;
        try {
            connected =
                    RedisStore.connect(server.uri(), options(8).failFast(true).build());
            on(connected).put("stalled:1", token.toBytes(), LONG);
            return connected;
        } catch (StoreException tooSlow) {
            if (connected != null) {
                connected.close();
            }
            return null;
        }
    }

    private static byte @Nullable [] readIfPrompt(RedisStore resumed) {
        try {
            return on(resumed).read("stalled:1");
        } catch (StoreException tooSlow) {
            return null;
        }
    }

    private static <T> T awaited(Supplier<@Nullable T> attempt) {
        AtomicReference<@Nullable T> result = new AtomicReference<>();
        Fleet.until(() -> {
            result.set(attempt.get());
            return result.get() != null;
        });
        return requireNonNull(result.get());
    }

    private static RedisStoreBuilder options(int connections) {
        return RedisStoreOptions.builder()
                .commandTimeout(TIMEOUT)
                .circuitBreaker(false) // each request is to find out by itself
                .combineReads(false) // the same: CombinedReadsTest has the others
                .maxConnections(connections);
    }

    @AfterEach
    void stop() {
        store.close();
        server.close();
    }

    /** Otherwise, these tests prove nothing about POOL-431. */
    @Test
    void poolsOnTheClassPathReplaceBrokenObjectsAtOnce() throws Exception {
        AtomicInteger created = new AtomicInteger();
        try (GenericObjectPool<Integer> pool = new GenericObjectPool<>(new BasePooledObjectFactory<>() {
            @Override
            public Integer create() {
                return created.incrementAndGet();
            }

            @Override
            public PooledObject<Integer> wrap(Integer object) {
                return new DefaultPooledObject<>(object);
            }
        })) {
            pool.invalidateObject(pool.borrowObject());
            assertThat(created).hasValue(2);
        }
    }

    /** A request, the command that it sends, and how often: a pipeline has one call for each key. */
    private enum Request {
        READ("read 'stalled:1'", "get", 1, store -> on(store).read("stalled:1")),
        READ_MANY("read 3 keys", "mget", 1, store -> on(store).readAll(KEYS)),
        LEASE(
                "acquire the lease of 'stalled:1'",
                "evalsha",
                1,
                store -> on(store).lease("stalled:1", LeaseToken.next(), null, LONG)),
        LEASE_MANY(
                "acquire the leases of 3 keys",
                "evalsha",
                3,
                store -> on(store)
                        .leaseAll(
                                KEYS.stream()
                                        .map(key -> new LeaseRequest(key, LeaseToken.next(), null))
                                        .toList(),
                                LONG));

        private final String notDone;
        private final String command;
        private final int calls;
        private final Consumer<RedisStore> send;

        Request(String notDone, String command, int calls, Consumer<RedisStore> send) {
            this.notDone = notDone;
            this.command = command;
            this.calls = calls;
            this.send = send;
        }
    }

    @ForEach
    void requestCostsOneTimeoutAndNotTwo(Request request) {
        assertThatThrownBy(() -> request.send.accept(store))
                .isInstanceOf(StoreException.class)
                .hasMessageStartingWith(
                        "could not " + request.notDone + " at 127.0.0.1:" + server.port() + ": Read timed out");
        assertThat(attemptsWhileStalled(request.command)).isEqualTo(request.calls);
    }

    @Test
    void theClockCostsNothingWhileItIsFresh() {
        server.resume();
        try (Jedis admin = PlainRedis.admin(server.host(), server.port())) {
            RedisCommands before = RedisCommands.parse(admin.info("commandstats"));
            store.shared().currentTimeMillis();
            assertThat(RedisCommands.parse(admin.info("commandstats")).since(before))
                    .as("commands")
                    .isZero();
        }
    }

    @Test
    void whenItGoesOnSoDoesTheStore() {
        assertThatThrownBy(() -> on(store).read("stalled:1")).isInstanceOf(StoreException.class);
        server.resume();
        assertThat(awaited(() -> readIfPrompt(store))).isEqualTo(token.toBytes());
    }

    @Test
    void whoFindsNoFreeConnectionIsToldWithinItsPatience() throws Exception {
        RedisStoreOptions narrow =
                options(1).commandTimeout(Duration.ofSeconds(20)).build();
        try (TwoReaders readers = twoReadersOnAStalledServer(narrow, Duration.ofMillis(100))) {
            assertThat(readers.queued().get())
                    .matches(
                            "could not read 'stalled:1' at 127.0.0.1:%d \\(all connections of the pool are in use: 1; callers that wait for one: \\d\\): no connection of the pool became free in time"
                                    .formatted(server.port()));
            assertThat(readers.onTheWire().isDone()).isFalse();
        }
    }

    @Test
    void anInterruptOfTheWaitForAConnectionIsReportedAndKept() throws Exception {
        RedisStoreOptions narrow =
                options(1).commandTimeout(Duration.ofSeconds(20)).build();
        try (TwoReaders readers = twoReadersOnAStalledServer(narrow, Duration.ofSeconds(20))) {
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

    private TwoReaders twoReadersOnAStalledServer(RedisStoreOptions options, Duration patience) {
        server.resume();
        RedisStore narrow = RedisStore.connect(server.uri(), options);
        server.pause();
        List<FutureTask<String>> tasks = List.of(reader(narrow, patience), reader(narrow, patience));
        List<Thread> threads = tasks.stream().map(Thread::new).toList();
        threads.forEach(Thread::start);
        Fleet.until(() -> threads.stream().anyMatch(StalledServerTest::isQueuedOrWas));
        int queued = isQueuedOrWas(threads.get(0)) ? 0 : 1;
        return new TwoReaders(narrow, tasks.get(1 - queued), tasks.get(queued), threads.get(queued));
    }

    /** For Java, reading from a socket is not waiting, and it takes longer than queueing. */
    private static boolean isQueuedOrWas(Thread reader) {
        return reader.getState() == Thread.State.TIMED_WAITING || reader.getState() == Thread.State.TERMINATED;
    }

    private static FutureTask<String> reader(RedisStore store, Duration patience) {
        return new FutureTask<>(() -> {
            StoreException failure = catchThrowableOfType(
                    StoreException.class, () -> store.shared().read("stalled:1", patience));
            return failure.getMessage() + (Thread.currentThread().isInterrupted() ? ", and the thread knows" : "");
        });
    }

    @Test
    void whoIsCaughtByACloseIsToldAsOfAnyFailure() throws Exception {
        TwoReaders readers = twoReadersOnAStalledServer(options(1).build(), TIMEOUT);
        readers.close();
        assertThat(readers.onTheWire().get()).startsWith("could not read 'stalled:1'");
        assertThat(readers.queued().get()).startsWith("could not read 'stalled:1'");
    }

    @Test
    void connectingCostsOneTimeoutAndWorksLater() {
        LogLines log = LogLines.of(() -> {
            try (RedisStore late = RedisStore.connect(server.uri(), options(8).build())) {
                assertThat(attemptsWhileStalled("get")).isEqualTo(1);
                assertThat(awaited(() -> readIfPrompt(late))).isEqualTo(token.toBytes());
            }
        });
        assertThat(log.lines()).singleElement().asString().contains("Read timed out");
    }

    /**
     * Resumes the server, and returns how many attempts it received while it was stalled: commands on existing
     * connections, and new connections, on which a client first waits for the answer to its greeting. Each attempt
     * costs its caller one timeout, however busy the machine is.
     */
    private long attemptsWhileStalled(String command) {
        server.resume();
        Looked after = look();
        return after.commands.since(command, before.commands) + after.connections - before.connections - 1;
    }

    /** The connections and commands of a server so far, including the connection that reads them. */
    private record Looked(RedisCommands commands, long connections) {}

    /**
     * The server accepts a new connection after all those before it, and reads from it after everything that was sent
     * before.
     */
    private Looked look() {
        try (Jedis admin = PlainRedis.admin(server.host(), server.port())) {
            long connections = CONNECTIONS
                    .matcher(admin.info("stats"))
                    .results()
                    .mapToLong(count -> Long.parseLong(count.group(1)))
                    .sum();
            return new Looked(RedisCommands.parse(admin.info("commandstats")), connections);
        }
    }
}
