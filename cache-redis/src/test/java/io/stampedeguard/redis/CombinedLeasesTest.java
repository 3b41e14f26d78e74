package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.measure.RedisCommands;
import io.stampedeguard.testbed.program.ThreadKind;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.VirtualTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;

/**
 * Callers of one process that request leases at the same time, or end them, on a server whose proxy holds their commands. Their clock
 * stands still, so that nobody is overdue; only sockets live in real time.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class CombinedLeasesTest {
    private static final int CONNECTIONS = 16;
    private static final int ENOUGH = 8;

    /** Who sends by itself, and the first sender of a batch. */
    private static final int AT_ONCE = 2;

    private static final int TOGETHER = 10;
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final byte[] ENTRY = new byte[LeaseToken.BYTES + 1];

    private final VirtualTime time = new VirtualTime();
    private final RedisProcess server = RedisServer.startProcess();
    private final Jedis admin = PlainRedis.admin(server.host(), server.port());
    private final CommandProxy proxy = new CommandProxy(server.host(), server.port(), this::pass);
    private final RedisClient client = PlainRedis.connectPatiently(proxy.uri(), CONNECTIONS);
    private final RedisStore store = RedisStore.using(client, SharedRedis.PATIENT, time);
    private final List<LeaseToken> tokens = new ArrayList<>();
    private ThreadFactory threads = ThreadKind.PLATFORM.factory();

    /** The connections with held commands, each with its thread of the proxy. */
    private final Set<Thread> held = ConcurrentHashMap.newKeySet();

    private final Set<Thread> used = ConcurrentHashMap.newKeySet();

    private final ConcurrentLinkedQueue<String> sent = new ConcurrentLinkedQueue<>();
    private volatile CountDownLatch gate = new CountDownLatch(0);

    /** What a command contains by which a connection breaks, once. */
    private final AtomicReference<@Nullable String> breaks = new AtomicReference<>();

    /** Passes a command on when the gate is open, unless its connection breaks by it. */
    private List<byte[]> pass(List<byte[]> command) {
        String words = String.join(
                " ", command.stream().map(word -> new String(word, UTF_8)).toList());
        if (!words.contains("together:")) {
            return command;
        }
        used.add(Thread.currentThread());
        held.add(Thread.currentThread());
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        held.remove(Thread.currentThread());
        sent.add(words);
        String last = breaks.get();
        if (last != null && words.contains(last) && breaks.compareAndSet(last, null)) {
            throw new UncheckedIOException(new IOException("so the test wants it"));
        }
        return command;
    }

    @BeforeEach
    void grantLeases() {
        for (int granted = 0; granted < ENOUGH; granted++) {
            LeaseToken each = LeaseToken.next();
            on(store).lease("granted:" + each, each, null, LONG);
            on(store).abandon("granted:" + each, each);
        }
        ServerCheckTest.awaitCheck(admin);
        Fleet.until(() -> store.toString().contains("calls in progress: 0 of " + CONNECTIONS));
        for (int i = 0; i < AT_ONCE + TOGETHER; i++) {
            tokens.add(LeaseToken.next());
        }
    }

    @AfterEach
    void close() {
        gate.countDown();
        store.close();
        client.close();
        proxy.close();
        admin.close();
        server.close();
    }

    private static String key(int number) {
        return "together:" + number + ":";
    }

    private <T> FutureTask<T> started(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        threads.newThread(task).start();
        return task;
    }

    private FutureTask<LeaseAttempt> lease(int number) {
        return started(() -> on(store).lease(key(number), tokens.get(number), null, LONG));
    }

    private FutureTask<Boolean> publish(int number) {
        return started(() -> on(store).publish(key(number), tokens.get(number), ENTRY, LONG));
    }

    private interface Caller<T> {
        FutureTask<T> start(int number);
    }

    /** Lets callers be under way, of whom all but the first two wait. */
    private <T> List<FutureTask<T>> underWay(Caller<T> caller) throws InterruptedException {
        used.clear();
        gate = new CountDownLatch(1);
        List<FutureTask<T>> calls = new ArrayList<>();
        for (int i = 0; i < AT_ONCE + TOGETHER; i++) {
            calls.add(caller.start(i));
            int atOnce = Math.min(i + 1, AT_ONCE);
            Fleet.until(() -> held.size() == atOnce);
        }
        time.awaitWaiting(TOGETHER);
        assertThat(held).hasSize(AT_ONCE);
        return calls;
    }

    private static <T> List<T> answers(List<FutureTask<T>> calls) throws Exception {
        List<T> answers = new ArrayList<>();
        for (FutureTask<T> call : calls) {
            answers.add(call.get(1, TimeUnit.MINUTES));
        }
        return answers;
    }

    private Map<String, Long> commands() {
        return RedisCommands.parse(admin.info("commandstats")).besides("config", "info");
    }

    private void grantAll() throws Exception {
        List<FutureTask<LeaseAttempt>> calls = new ArrayList<>();
        for (int i = 0; i < AT_ONCE + TOGETHER; i++) {
            calls.add(lease(i));
        }
        assertThat(answers(calls)).containsOnly(new LeaseAttempt.Granted(0));
    }

    @Test
    void requestsThatWaitTravelTogetherAndAskForTheTimeOnce() throws Exception {
        List<FutureTask<LeaseAttempt>> calls = underWay(this::lease);
        admin.configResetStat();

        gate.countDown();

        assertThat(answers(calls)).containsOnly(new LeaseAttempt.Granted(0));
        long each = AT_ONCE + TOGETHER;
        assertThat(commands()).isEqualTo(Map.of("set", each, "mget", each, "time", AT_ONCE + 1L));
        for (int i = 0; i < each; i++) {
            assertThat(on(store).publish(key(i), tokens.get(i), ENTRY, LONG))
                    .as("the lease of %s", key(i))
                    .isTrue();
        }
    }

    @Test
    void publicationsThatWaitTravelTogether() throws Exception {
        grantAll();
        List<FutureTask<Boolean>> calls = underWay(this::publish);

        gate.countDown();

        assertThat(answers(calls)).containsOnly(true);
        assertThat(used).as("connections").hasSizeLessThanOrEqualTo(AT_ONCE + 1);
        for (int i = 0; i < calls.size(); i++) {
            assertThat(on(store).read(key(i))).isEqualTo(ENTRY);
        }
    }

    @Test
    void publicationsAreExecutedThoughTheServerForgotTheScript() throws Exception {
        grantAll();
        List<FutureTask<Boolean>> calls = underWay(this::publish);
        admin.scriptFlush();

        gate.countDown();

        assertThat(answers(calls)).containsOnly(true);
    }

    @Test
    void aPublicationDoesNotTravelWithRequests() throws Exception {
        grantAll();
        gate = new CountDownLatch(1);
        List<FutureTask<LeaseAttempt>> requests = new ArrayList<>();
        for (int i = 0; i < AT_ONCE + TOGETHER; i++) {
            tokens.add(LeaseToken.next());
            requests.add(lease(AT_ONCE + TOGETHER + i));
        }
        Fleet.until(() -> held.size() == AT_ONCE);
        time.awaitWaiting(TOGETHER);

        FutureTask<Boolean> publication = publish(0);

        Fleet.until(() -> held.size() == AT_ONCE + 1);
        gate.countDown();
        assertThat(publication.get(1, TimeUnit.MINUTES)).isTrue();
        assertThat(answers(requests)).containsOnly(new LeaseAttempt.Granted(0));
    }

    @Test
    void inABatchEachRequestHasItsOwnAnswer() throws Exception {
        LeaseToken other = LeaseToken.next();
        on(store).lease(key(5), other, other, LONG);
        admin.set(new RedisKeys("").value(key(6)), ENTRY);
        for (int i = 0; i < ENOUGH; i++) {
            LeaseToken each = LeaseToken.next();
            on(store).lease("granted:" + each, each, null, LONG);
        }
        List<FutureTask<LeaseAttempt>> calls = underWay(this::lease);

        gate.countDown();

        List<LeaseAttempt> attempts = new ArrayList<>(answers(calls));
        assertThat(attempts.remove(6))
                .isInstanceOfSatisfying(
                        LeaseAttempt.Found.class,
                        found -> assertThat(found.stored()).isEqualTo(ENTRY));
        assertThat(attempts.remove(5))
                .isInstanceOfSatisfying(
                        LeaseAttempt.Held.class,
                        held -> assertThat(held.holder()).isEqualTo(other));
        assertThat(attempts).containsOnly(new LeaseAttempt.Granted(0));
    }

    @Test
    void batchedRequestsOnABrokenConnectionFailAndAreNotRepeated() throws Exception {
        List<FutureTask<LeaseAttempt>> calls = underWay(this::lease);
        breaks.set(key(7));

        gate.countDown();

        List<Throwable> failures = new ArrayList<>();
        for (FutureTask<LeaseAttempt> call : calls.subList(AT_ONCE, calls.size())) {
            failures.add(catchThrowableOfType(ExecutionException.class, () -> call.get(1, TimeUnit.MINUTES))
                    .getCause());
        }
        assertThat(failures).hasSize(TOGETHER).doesNotHaveDuplicates().allMatch(StoreException.class::isInstance);
        assertThat(answers(calls.subList(0, AT_ONCE))).containsOnly(new LeaseAttempt.Granted(0));
        assertThat(breaks).hasNullValue();
        assertThat(sent.stream().filter(words -> words.startsWith("SET ")))
                .as("requests that were sent")
                .doesNotHaveDuplicates();
    }

    @Test
    void publicationsOfABatchWhoseConnectionBreaksAreSentAgain() throws Exception {
        grantAll();
        List<FutureTask<Boolean>> calls = underWay(this::publish);
        breaks.set(key(7));

        gate.countDown();

        assertThat(answers(calls)).containsOnly(true);
        assertThat(breaks).hasNullValue();
    }

    @Test
    void publicationsTravelTogetherWhileCallersUseAllConnections() throws Exception {
        grantAll();
        List<Connection> callers = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                callers.add(client.getPool().getResource());
            }
            List<FutureTask<Boolean>> calls = underWay(this::publish);

            gate.countDown();

            assertThat(answers(calls)).containsOnly(true);
        } finally {
            callers.forEach(Connection::close);
        }
    }

    @TestFactory
    Stream<DynamicTest> virtualThreads() {
        return ThreadKind.VIRTUAL.isAvailable()
                ? Stream.of(DynamicTest.dynamicTest("wait for nobody", this::publishOnVirtualThreads))
                : Stream.empty();
    }

    private void publishOnVirtualThreads() throws Exception {
        grantAll();
        threads = ThreadKind.VIRTUAL.factory();
        gate = new CountDownLatch(1);
        List<FutureTask<Boolean>> calls = new ArrayList<>();
        for (int i = 0; i < TOGETHER; i++) {
            calls.add(publish(i));
        }

        Fleet.until(() -> held.size() == TOGETHER);

        gate.countDown();
        assertThat(answers(calls)).containsOnly(true);
    }

    @Test
    void withoutCombiningEachCallerHasAConnection() throws Exception {
        grantAll();
        try (RedisStore singly = RedisStore.using(
                client, SharedRedis.PATIENT.toBuilder().combineReads(false).build(), time)) {
            gate = new CountDownLatch(1);
            List<FutureTask<Boolean>> calls = new ArrayList<>();
            for (int i = 0; i < TOGETHER; i++) {
                int number = i;
                calls.add(started(() -> on(singly).fail(key(number), tokens.get(number), failed())));
            }

            Fleet.until(() -> held.size() == TOGETHER);

            gate.countDown();
            assertThat(answers(calls)).containsOnly(true);
        }
    }

    private static LeaseEnd.Fail failed() {
        return new LeaseEnd.Fail(new byte[] {1}, 1, LONG, LONG);
    }
}
