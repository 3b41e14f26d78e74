package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.stampedeguard.loader.StoreException;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fault.FaultProxy;
import io.stampedeguard.testbed.measure.RedisCommands;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;

/**
 * Readers of one process who read at the same time, on a server that does not answer until the test wants it to. Their clock stands
 * still, so that nobody is overdue before; only sockets live in real time.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class CombinedReadsTest {
    private static final int CONNECTIONS = 16;

    /** As many as find a lane, and the first one who does not. */
    private static final int ALONE = 5;

    private static final int TOGETHER = 12;
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration OVERDUE = Duration.ofMillis(1);

    private final VirtualTime time = new VirtualTime();
    private final RedisProcess server = RedisServer.startProcess();
    private final FaultProxy proxy = FaultProxy.start(server.host(), server.port(), 1);
    private final RedisClient client = patient(proxy, CONNECTIONS);
    private final List<Reader> alone = new ArrayList<>();
    private RedisStore store = RedisStore.using(client, SharedRedis.PATIENT, time);

    /** A read on a thread of its own, and whether its thread was interrupted then. */
    private final class Reader extends FutureTask<byte[]> {
        private final String key;
        private final Thread thread = new Thread(this);
        private volatile boolean isInterrupted;

        Reader(String key, RedisStore from) {
            super(() -> from.shared().read(key, LONG));
            this.key = key;
        }

        @Override
        public void run() {
            super.run();
            isInterrupted = Thread.currentThread().isInterrupted();
        }

        Reader start() {
            thread.setDaemon(true);
            thread.start();
            return this;
        }

        boolean isInQueueForConnections() {
            return isIn(thread, "Semaphore");
        }

        boolean isOnTheWire() {
            return CombinedReadsTest.isOnTheWire(thread);
        }

        void answered() throws Exception {
            assertThat(get(1, TimeUnit.MINUTES)).isEqualTo(valueOf(key));
        }

        StoreException failure() {
            return (StoreException) catchThrowableOfType(ExecutionException.class, () -> get(1, TimeUnit.MINUTES))
                    .getCause();
        }
    }

    /** Returns whether a thread waits for the server's answer. */
    private static boolean isOnTheWire(Thread thread) {
        return isIn(thread, "RedisInputStream");
    }

    private static boolean isIn(Thread thread, String simpleName) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().endsWith(simpleName));
    }

    @BeforeEach
    void fill() {
        for (int i = 0; i < TOGETHER; i++) {
            on(store).put(key(i), valueOf(key(i)), LONG);
        }
    }

    /** Creates a client whose connections are open: those that are opened while the server is silent fail if they are reset. */
    private static RedisClient patient(FaultProxy proxy, int connections) {
        RedisClient client = RedisClient.builder()
                .hostAndPort(new HostAndPort("127.0.0.1", proxy.port()))
                .clientConfig(DefaultJedisClientConfig.builder()
                        .resp2()
                        .timeoutMillis((int) LONG.toMillis())
                        .build())
                .poolConfig(Topologies.pool(connections))
                .build();
        client.getPool().addObjects(connections);
        return client;
    }

    @AfterEach
    void close() {
        client.close();
        proxy.close();
        server.close();
    }

    private static String key(int number) {
        return "together:" + number;
    }

    private static byte[] valueOf(String key) {
        return ("value of " + key).getBytes(StandardCharsets.UTF_8);
    }

    /** Stalls the server, with as many reads on the wire as go alone. */
    private void stall() {
        proxy.stall();
        for (int i = 0; i < ALONE; i++) {
            alone.add(new Reader(key(i), store).start());
        }
        Fleet.until(() -> alone.stream().allMatch(Reader::isOnTheWire)); // beside them, the server is checked
    }

    private List<Reader> waiting(int readers) throws InterruptedException {
        List<Reader> waiting = IntStream.range(0, readers)
                .mapToObj(i -> new Reader(key(i), store).start())
                .toList();
        time.awaitWaiting(readers);
        return waiting;
    }

    /** Lets those that wait send, although nobody was answered. */
    private void overdue(List<Reader> together) {
        time.advance(OVERDUE);
        Fleet.until(() -> together.stream().anyMatch(Reader::isOnTheWire));
    }

    private void assertAnswered(List<Reader> readers) throws Exception {
        for (Reader reader : readers) {
            reader.answered();
        }
    }

    private RedisCommands commands() {
        try (Jedis admin = PlainRedis.admin(server.host(), server.port())) {
            return RedisCommands.parse(admin.info("commandstats"));
        }
    }

    @Test
    void readersThatWaitShareOneCommand() throws Exception {
        RedisCommands before = commands();
        stall();
        List<Reader> together = waiting(TOGETHER);

        proxy.heal();

        assertAnswered(together);
        assertAnswered(alone);
        assertThat(commands().since("get", before)).isEqualTo(ALONE - 1);
        assertThat(commands().since("mget", before))
                .as("the first sender's batch, and that of all others")
                .isBetween(1L, 2L);
    }

    @Test
    void withoutCombiningEachReaderSendsItsOwnCommand() throws Exception {
        store = RedisStore.using(
                client, SharedRedis.PATIENT.toBuilder().combineReads(false).build(), time);
        RedisCommands before = commands();
        proxy.stall();
        List<Reader> readers = IntStream.range(0, TOGETHER)
                .mapToObj(i -> new Reader(key(i), store).start())
                .toList();
        Fleet.until(() -> readers.stream().allMatch(Reader::isOnTheWire));

        proxy.heal();

        assertAnswered(readers);
        assertThat(commands().since("get", before)).isEqualTo(TOGETHER);
    }

    @Test
    void readersOfASentBatchAreAnsweredDespiteAConnectionReset() throws Exception {
        stall();
        List<Reader> together = waiting(TOGETHER);
        overdue(together);

        proxy.reset(1);
        proxy.heal();

        assertAnswered(together);
        assertAnswered(alone);
    }

    @Test
    void timedOutBatchFailsEachReaderIndividuallyAndNoLaterOne() throws Exception {
        try (RedisStore brief = RedisStore.connect(
                proxy.uri(),
                RedisStoreOptions.builder()
                        .commandTimeout(Duration.ofSeconds(2))
                        .circuitBreaker(false)
                        .build())) {
            proxy.stall();
            List<Reader> readers = IntStream.range(0, 2 * TOGETHER)
                    .mapToObj(i -> new Reader(key(i % TOGETHER), brief).start())
                    .toList();

            List<StoreException> failures =
                    readers.stream().map(Reader::failure).toList();

            for (int i = 0; i < readers.size(); i++) {
                assertThat(failures.get(i)).hasMessageContaining("could not read '" + readers.get(i).key + "'");
                assertThat(failures.get(i).isShortage()).isFalse();
                assertThat(readers.get(i).isInterrupted).isFalse();
            }
            assertThat(failures).doesNotHaveDuplicates();
            proxy.heal();
            assertThat(on(brief).read(key(0))).isEqualTo(valueOf(key(0)));
        }
    }

    @Test
    void aReaderThatIsInterruptedWhileItWaitsHarmsNoOther() throws Exception {
        stall();
        List<Reader> together = new ArrayList<>(waiting(TOGETHER));
        Reader interrupted = together.remove(TOGETHER / 2);

        interrupted.thread.interrupt();

        assertThat(interrupted.failure()).hasMessageEndingWith(": interrupted");
        Fleet.until(() -> interrupted.isInterrupted);
        proxy.heal();
        assertAnswered(together);
        assertAnswered(alone);
    }

    @Test
    void senderInterruptedWhileQueuedForAConnectionHarmsNoOther() throws Exception {
        try (RedisClient narrow = patient(proxy, ALONE)) {
            store = RedisStore.using(narrow, SharedRedis.PATIENT, time);
            stall();
            List<Reader> together = new ArrayList<>(waiting(TOGETHER));
            time.advance(OVERDUE);
            Fleet.until(() -> together.stream().anyMatch(Reader::isInQueueForConnections));
            Reader sender = together.stream()
                    .filter(Reader::isInQueueForConnections)
                    .findAny()
                    .orElseThrow();

            sender.thread.interrupt();

            assertThat(sender.failure()).hasMessageEndingWith(": interrupted");
            together.remove(sender);
            proxy.heal();
            assertAnswered(together);
            assertAnswered(alone);
        }
    }

    @Test
    void keyOfAnotherProgramIsAbsentInABatch() throws Exception {
        try (Jedis admin = PlainRedis.admin(server.host(), server.port())) {
            admin.lpush("{together:list}", "of another program");
        }
        stall();
        Reader list = new Reader("together:list", store).start();
        Reader other = new Reader(key(0), store).start();
        time.awaitWaiting(2);

        proxy.heal();

        assertThat(list.get()).isNull();
        other.answered();
    }

    @Test
    void getAllTravelsWithOthersOnlyIfItHasFewKeys() throws Exception {
        RedisCommands before = commands();
        stall();
        List<Reader> together = waiting(2);
        FutureTask<Map<String, byte[]>> few =
                new FutureTask<>(() -> store.shared().read(List.of(key(1), key(2), "together:no"), LONG));
        new Thread(few).start();
        time.awaitWaiting(3);
        List<String> manyKeys =
                IntStream.range(0, 50).mapToObj(CombinedReadsTest::key).toList();
        FutureTask<Map<String, byte[]>> many =
                new FutureTask<>(() -> store.shared().read(manyKeys, LONG));
        Thread alsoAlone = new Thread(many);
        alsoAlone.start();
        Fleet.until(() -> isOnTheWire(alsoAlone));

        proxy.heal();

        assertAnswered(together);
        assertThat(few.get().get(key(1))).isEqualTo(valueOf(key(1)));
        assertThat(few.get().get(key(2))).isEqualTo(valueOf(key(2)));
        assertThat(few.get()).hasSize(3).containsEntry("together:no", null);
        assertThat(many.get()).hasSize(50);
        assertThat(commands().since("mget", before)).isBetween(2L, 3L);
    }
}
