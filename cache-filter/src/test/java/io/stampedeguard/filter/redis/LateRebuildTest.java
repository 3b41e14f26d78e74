package io.stampedeguard.filter.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.CommandProxy;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testkit.Callers;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * Commands of a rebuild that reach Redis late: copies of commands that were sent again on another connection, and commands of a
 * process that stood still meanwhile. No row may vanish, and no other rebuild may fail.
 */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT) // each test has its own servers, and waits for them
class LateRebuildTest {
    private static final int ROWS = 1_000;
    private static final int KEYS_AT = 3;

    private final List<Long> origin = new CopyOnWriteArrayList<>(List.of(1L, 2L, 3L));
    private final List<List<byte[]>> sent = new CopyOnWriteArrayList<>();
    private volatile UnaryOperator<List<byte[]>> way = UnaryOperator.identity();
    private final RedisProcess server = RedisServer.startProcess();
    private final Jedis admin = PlainRedis.admin(server.uri());
    private final CommandProxy proxy = new CommandProxy(server.host(), server.port(), command -> way.apply(command));
    private final RedisStore store = RedisStore.connect(proxy.uri(), SharedRedis.PATIENT);
    private final RedisStore otherStore = RedisStore.connect(server.uri(), SharedRedis.PATIENT);
    private final RedisKeyFilter<Long> filter = open(store);
    private final RedisKeyFilter<Long> other = open(otherStore);

    private static RedisKeyFilter<Long> open(RedisStore store) {
        return RedisKeyFilter.<Long>builder("late", store).expectedKeys(ROWS).build();
    }

    /** The server knows the scripts from now on: each call is one command. */
    @BeforeEach
    void begin() {
        other.rebuild(origin::stream);
        other.add(1L);
        way = command -> {
            if (isScript(command)) {
                sent.add(command);
            }
            return command;
        };
    }

    @AfterEach
    void close() {
        filter.close();
        other.close();
        store.close();
        otherStore.close();
        admin.close();
        proxy.close();
        server.close();
    }

    private static boolean isScript(List<byte[]> command) {
        return word(command, 0).equals("EVALSHA");
    }

    private static String word(List<byte[]> command, int at) {
        return new String(command.get(at), US_ASCII);
    }

    /** Creates rows at the origin, and announces them. */
    private void createRows() {
        LongStream.rangeClosed(4, ROWS).forEach(row -> {
            origin.add(row);
            other.add(row);
        });
    }

    /** Lets a copy of each command that the first process has sent until now reach the server, in their order. */
    private void sendAgain() {
        List.copyOf(sent).forEach(this::sendAgain);
    }

    private void sendAgain(List<byte[]> command) {
        byte[][] arguments = command.subList(1, command.size()).toArray(byte[][]::new);
        synchronized (admin) {
            try {
                admin.sendCommand(Protocol.Command.EVALSHA, arguments);
            } catch (JedisNoScriptException unknown) {
                // no more than the first copy has it changed anything
            }
        }
    }

    /** For processes that know nothing yet, each row may be there, and most others are not. */
    private void assertNoRowVanished() {
        try (RedisKeyFilter<Long> another = open(otherStore)) {
            assertThat(another.definitelyAbsent(origin)).isEmpty();
            assertThat(filter.definitelyAbsent(origin)).isEmpty();
        }
    }

    private void assertSharp() {
        assertThat(other.definitelyAbsent(
                        LongStream.rangeClosed(1, ROWS).mapToObj(row -> -row).toList()))
                .hasSizeGreaterThan(ROWS * 9 / 10);
    }

    @Test
    void copiesThatComeAfterAnotherRebuild() {
        filter.rebuild(origin::stream);
        createRows();
        other.rebuild(origin::stream);

        sendAgain();

        assertNoRowVanished();
        assertSharp();
        assertThat(admin.keys("*")).as("nothing is being built").hasSize(64);
    }

    /** The two that put an empty partition into force, which has no bits to upload. */
    @Test
    void copiesOfBeginningAndEndAloneThatComeAfterAnotherRebuild() {
        filter.rebuild(origin::stream);
        createRows();
        other.rebuild(origin::stream);

        sent.stream()
                .filter(command -> word(command, 2).equals("3") || command.size() == KEYS_AT + 4 + 3)
                .forEach(this::sendAgain);

        assertNoRowVanished();
        assertSharp();
    }

    @Test
    void copiesThatComeDuringAnotherRebuildDoNotSupersedeIt() {
        filter.rebuild(origin::stream);
        createRows();

        other.rebuild(() -> {
            sendAgain();
            return origin.stream();
        });

        assertNoRowVanished();
        assertSharp();
    }

    @Test
    void copiesThatComeAfterAllWasLost() {
        filter.rebuild(origin::stream);
        createRows();
        admin.flushAll();

        sendAgain();

        assertNoRowVanished();
        other.rebuild(origin::stream);
        assertNoRowVanished();
        assertSharp();
    }

    /** The copies begin the rebuild anew, without what was announced since it was begun. */
    @Test
    void copiesOfItsBeginningAfterAllWasLostDuringTheRebuild() {
        assertThatThrownBy(() -> filter.rebuild(() -> {
                    List<Long> read = List.copyOf(origin);
                    createRows();
                    admin.flushAll();
                    sendAgain();
                    return read.stream();
                }))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("Redis has lost the data of this one");

        assertNoRowVanished();
    }

    @Test
    void eachCommandSentTwice() {
        way = command -> {
            if (isScript(command)) {
                sendAgain(command);
            }
            return command;
        };

        filter.rebuild(() -> {
            List<Long> read = List.copyOf(origin);
            createRows();
            return read.stream();
        });

        assertNoRowVanished();
        assertSharp();
    }

    /** What was announced to the first rebuild is in the second one, whenever the copies of the announcements come. */
    @Test
    void copiesOfAnnouncements() {
        filter.add(3L);
        other.rebuild(() -> Stream.of(1L, 2L));
        sendAgain();
        other.rebuild(() -> {
            sendAgain();
            return origin.stream();
        });
        assertNoRowVanished();
        admin.flushAll();
        sendAgain();

        assertThat(admin.keys("*")).as("no rubbish").isEmpty();
        assertNoRowVanished();
    }

    /** It is held up, or its process is stopped, until another rebuild is complete; a number of keys and of all words. */
    @ParameterizedTest(name = "{0}, partition {3}")
    @CsvSource({
        "asking for a rank, 1,  4, 00",
        "asking for a rank, 1,  4, 31",
        "beginning,         3, 13, 00",
        "beginning,         3, 13, 07",
        "beginning,         3, 13, 31",
        "uploading,         4, 12, 00",
        "uploading,         4, 12, 17",
        "committing,        4, 10, 00",
        "committing,        4, 10, 17",
        "committing,        4, 10, 31"
    })
    void commandThatIsHeldUpUntilAnotherRebuildIsComplete(String step, String keys, int words, String partition)
            throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        way = command -> {
            if (isScript(command)
                    && word(command, 2).equals(keys)
                    && command.size() == words
                    && word(command, KEYS_AT).contains("filter:" + partition + "}")) {
                held.countDown();
                await(goOn);
            }
            return command;
        };
        try (Callers callers = new Callers()) {
            Callers.Call<Boolean> rebuild = callers.call(this::isRebuilt);
            held.await();
            createRows();
            other.rebuild(origin::stream);
            goOn.countDown();

            assertThat(rebuild.result()).as(step).isEqualTo(step.startsWith("asking"));
        }
        assertNoRowVanished();
        assertSharp();
    }

    private boolean isRebuilt() {
        try {
            filter.rebuild(() -> List.copyOf(origin).stream());
            return true;
        } catch (StoreException superseded) {
            assertThat(superseded).hasMessageMatching(".*another rebuild has (begun|ended) since.*");
            return false;
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
