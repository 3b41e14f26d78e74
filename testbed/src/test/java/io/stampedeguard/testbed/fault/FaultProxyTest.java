package io.stampedeguard.testbed.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultProxyTest {
    private static final long SEED = 42;
    private static final int SILENCE_MILLIS = 200;
    private static final int PATIENCE_MILLIS = 60_000;
    private static final String PONG = "+PONG";

    private static RedisProcess redis;

    private FaultProxy proxy;
    private Client direct;
    private final List<Client> clients = new ArrayList<>();

    @BeforeAll
    static void startRedis() {
        redis = RedisServer.startProcess();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    @BeforeEach
    void start() throws Exception {
        proxy = FaultProxy.start(redis.host(), redis.port(), SEED);
        direct = connect(redis.port());
        direct.ask("FLUSHALL");
    }

    @AfterEach
    void end() throws Exception {
        proxy.close();
        for (Client client : clients) {
            client.close();
        }
    }

    @Test
    void requestsAndAnswersPassUnchanged() throws Exception {
        Client client = through();

        assertThat(client.ask("SET a 1")).isEqualTo("+OK");
        assertThat(direct.ask("GET a")).isEqualTo("$1");
        assertThat(proxy.uri()).isEqualTo("redis://127.0.0.1:" + proxy.port());
        assertThat(proxy.openConnections()).isEqualTo(1);
        assertThat(proxy.lostBytes()).isZero();
    }

    @Test
    void aClientThatDoesNotReadForAWhileGetsEverything() throws Exception {
        int size = 4 << 20;
        String value = "0123456789abcdef".repeat(size / 16);
        Client client = through();
        client.send("*3\r\n$3\r\nSET\r\n$3\r\nbig\r\n$%d\r\n%s".formatted(size, value));
        assertThat(client.line()).isEqualTo("+OK");
        for (int i = 0; i < 5; i++) {
            client.send("GET big");
        }

        for (int i = 0; i < 5; i++) {
            assertThat(client.line()).isEqualTo("$" + size);
            assertThat(client.line()).isEqualTo(value);
        }
    }

    @Test
    void theEndOfEitherSideReachesTheOther() throws Exception {
        Client leaving = through();
        leaving.ask("CLIENT SETNAME leaving");
        leaving.close();
        await(() -> !direct.asks("CLIENT LIST").contains("name=leaving"));

        Client quitting = through();
        assertThat(quitting.ask("QUIT")).isEqualTo("+OK");
        assertThat(quitting.isAtEnd()).isTrue();
        quitting.close();
        await(() -> proxy.openConnections() == 0);
    }

    @Test
    void theLastBytesOfAClosedServerReachASendingClient() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                FaultProxy before = FaultProxy.start("127.0.0.1", server.getLocalPort(), SEED)) {
            Client client = connect(before.port());
            try (Socket accepted = server.accept()) {
                before.stall();
                accepted.getOutputStream().write("+BYE\r\n".getBytes(StandardCharsets.US_ASCII));
                accepted.setSoLinger(true, 0);
            }
            client.send("PING");
            before.heal();

            assertThat(client.line()).isEqualTo("+BYE");
        }
    }

    @Test
    void aServerThatIsDownResetsTheClientUntilItIsBack() throws Exception {
        try (RedisProcess other = RedisServer.startProcess();
                FaultProxy before = FaultProxy.start(other.host(), other.port(), SEED)) {
            other.kill();
            assertReset(connect(before.port()));

            other.restart();
            assertThat(connect(before.port()).ask("PING")).isEqualTo(PONG);
        }
    }

    @Test
    void aDelayHoldsAnswersBackButNotRequests() throws Exception {
        Client client = through();
        client.ask("PING");
        proxy.delayAnswers(Duration.ofHours(1), Duration.ofHours(1));

        client.send("SET a 1");

        await(() -> direct.asks("EXISTS a").equals(":1"));
        assertSilent(client);
        proxy.heal();
        assertThat(client.line()).isEqualTo("+OK");
        assertThat(client.ask("PING")).isEqualTo(PONG);
    }

    @Test
    void jitterDoesNotChangeTheOrder() throws Exception {
        Client client = through();
        proxy.delayAnswers(Duration.ofMillis(1), Duration.ofMillis(5));

        List<String> answers = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            client.send("INCR counted");
        }
        for (int i = 0; i < 200; i++) {
            answers.add(client.line());
        }

        assertThat(answers)
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, 200).mapToObj(i -> ":" + i).toList());
    }

    @Test
    void aCutClosesAllConnectionsAndRefusesNewOnes() throws Exception {
        List<Client> open = pinged(proxy, 3);
        proxy.cut();

        for (Client client : open) {
            assertThat(client.isAtEnd()).isTrue();
        }
        assertThatThrownBy(this::through).isInstanceOf(ConnectException.class);
        assertThat(proxy.openConnections()).isZero();

        proxy.heal();
        assertThat(through().ask("PING")).isEqualTo(PONG);
    }

    @Test
    void processesThatStartMeanwhileDoNotKeepThePortOpen() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        Thread starting = new Thread(() -> startProcesses(() -> !ended.get()));
        starting.start();
        try {
            for (int i = 0; i < 500; i++) {
                proxy.cut();
                assertThatThrownBy(this::through).isInstanceOf(ConnectException.class);
                proxy.heal();
            }
            assertThat(through().ask("PING")).isEqualTo(PONG);
            proxy.close();
            assertThatThrownBy(this::through).isInstanceOf(ConnectException.class);
        } finally {
            ended.set(true);
            starting.join();
        }
    }

    private static void startProcesses(BooleanSupplier more) {
        try {
            while (more.getAsBoolean()) {
                new ProcessBuilder("true").start().waitFor();
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aShareOfTheOpenConnectionsIsReset() throws Exception {
        List<Client> open = pinged(proxy, 10);

        assertThat(proxy.reset(0.25)).isEqualTo(3);

        List<Integer> reset = reset(open);
        assertThat(reset).hasSize(3);
        assertThat(proxy.openConnections()).isEqualTo(7);
        assertThat(through().ask("PING")).as("later ones are not affected").isEqualTo(PONG);
    }

    @Test
    void equalSeedsResetTheSameConnections() throws Exception {
        try (FaultProxy same = FaultProxy.start(redis.host(), redis.port(), SEED);
                FaultProxy other = FaultProxy.start(redis.host(), redis.port(), SEED + 1)) {
            List<Client> open = pinged(proxy, 40);
            List<Client> openToo = pinged(same, 40);
            List<Client> openElsewhere = pinged(other, 40);
            proxy.reset(0.3);
            same.reset(0.3);
            other.reset(0.3);

            assertThat(reset(open)).hasSize(12).isEqualTo(reset(openToo)).isNotEqualTo(reset(openElsewhere));
        }
    }

    @Test
    void aShareOfTheNewConnectionsIsResetOnItsFirstBytes() throws Exception {
        Client older = through();
        older.ask("PING");
        proxy.resetNew(0.5);
        List<Client> fresh = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            fresh.add(through());
        }

        assertThat(reset(fresh)).hasSizeBetween(1, 39);
        assertThat(older.ask("PING")).isEqualTo(PONG);
        proxy.resetNew(1);
        assertReset(through());
        proxy.heal();
        assertThat(through().ask("PING")).isEqualTo(PONG);
    }

    @Test
    void aStallStopsBothDirectionsAndLosesNothing() throws Exception {
        Client client = through();
        client.ask("PING");
        proxy.stall();
        client.send("SET a 1");
        Client later = through();
        later.send("SET b 1");

        assertSilent(client);
        assertSilent(later);
        assertThat(direct.ask("EXISTS a b")).isEqualTo(":0");

        proxy.heal();
        assertThat(client.line()).isEqualTo("+OK");
        assertThat(later.line()).isEqualTo("+OK");
        assertThat(direct.ask("EXISTS a b")).isEqualTo(":2");
        assertThat(proxy.lostBytes()).isZero();
    }

    @Test
    void halfAnAnswerIsFollowedBySilence() throws Exception {
        Client client = through();
        client.ask("PING");
        proxy.truncateAnswers(8);

        client.send("ECHO 0123456789");

        assertThat(client.bytes(8)).isEqualTo("$10\r\n012");
        assertSilent(client);
        await(() -> proxy.lostBytes() == 9);
        Client later = through();
        later.send("PING");
        later.send("PING");
        assertThat(later.bytes(8)).isEqualTo("+PONG\r\n+");

        proxy.heal();
        assertEnded(client);
        assertThat(through().ask("PING")).isEqualTo(PONG);
    }

    @Test
    void lostRequestsDoNotReachTheServer() throws Exception {
        Client client = through();
        client.ask("CLIENT SETNAME unheard");
        proxy.lose(Direction.TO_SERVER);
        client.send("SET a 1");
        await(() -> proxy.lostBytes() == "SET a 1\r\n".length());
        client.close();

        assertThat(direct.asks("CLIENT LIST")).as("the end is lost, too").contains("name=unheard");
        assertThat(direct.ask("EXISTS a")).isEqualTo(":0");

        proxy.heal();
        await(() -> !direct.asks("CLIENT LIST").contains("name=unheard"));
        assertThat(direct.ask("EXISTS a")).isEqualTo(":0");
    }

    @Test
    void lostAnswersBelongToRequestsThatTookEffect() throws Exception {
        Client client = through();
        client.ask("PING");
        proxy.lose(Direction.FROM_SERVER);
        client.send("SET a 1");
        await(() -> proxy.lostBytes() == "+OK\r\n".length());

        assertThat(direct.ask("EXISTS a")).isEqualTo(":1");
        assertSilent(client);

        proxy.heal();
        assertEnded(client);
    }

    @Test
    void aConnectionThatLostNothingSurvives() throws Exception {
        Client client = through();
        client.ask("PING");
        proxy.lose(Direction.TO_SERVER);
        proxy.lose(Direction.FROM_SERVER);
        proxy.heal();

        assertThat(client.ask("PING")).isEqualTo(PONG);
    }

    @Test
    void connectionsThatHangAreNotSeenByTheServer() throws Exception {
        Client older = through();
        older.ask("PING");
        String received = direct.asks("INFO stats")
                .lines()
                .filter(FaultProxyTest::isTotal)
                .findFirst()
                .orElseThrow();
        proxy.hang();

        Client client = through();
        client.send("PING");
        await(() -> proxy.openConnections() == 2);
        assertSilent(client);
        assertThat(older.ask("PING")).isEqualTo(PONG);
        assertThat(direct.asks("INFO stats")).contains(received);

        proxy.heal();
        assertEnded(client);
        assertThat(through().ask("PING")).isEqualTo(PONG);
    }

    private static boolean isTotal(String line) {
        return line.startsWith("total_connections_received:");
    }

    @Test
    void faultsAddUp() throws Exception {
        List<Client> open = pinged(proxy, 4);
        proxy.stall();
        proxy.resetNew(1);
        for (Client client : open) {
            client.send("PING");
        }
        proxy.reset(0.5);
        Client doomed = through();
        doomed.send("PING");
        await(() -> proxy.openConnections() == 3);

        int silent = 0;
        for (Client client : open) {
            silent += client.isSilent() ? 1 : 0;
        }
        assertThat(silent).isEqualTo(2);
        proxy.heal();
        assertEnded(doomed);
    }

    @Test
    void closeLeavesNoConnectionAndNoThread() throws Exception {
        List<Client> open = pinged(proxy, 3);
        open.get(0).ask("CLIENT SETNAME left");
        proxy.hang();
        open.add(through());
        await(() -> proxy.openConnections() == 4);

        proxy.close();
        proxy.close();

        for (Client client : open) {
            assertEnded(client);
        }
        await(() -> !direct.asks("CLIENT LIST").contains("name=left"));
        await(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("fault-proxy-" + proxy.port())));
        assertThatThrownBy(this::through).isInstanceOf(ConnectException.class);
        assertThatThrownBy(proxy::heal).hasRootCauseMessage("this proxy was closed");
        assertThat(proxy.openConnections()).isZero();
    }

    @Test
    void aShareIsFromZeroToOne() {
        assertThatThrownBy(() -> proxy.reset(1.1)).hasMessage("a share is from 0 to 1, not 1.1");
        assertThatThrownBy(() -> proxy.resetNew(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
    }

    private Client through() throws IOException {
        return connect(proxy.port());
    }

    private Client connect(int port) throws IOException {
        Client client = new Client(new Socket("127.0.0.1", port));
        clients.add(client);
        return client;
    }

    private List<Client> pinged(FaultProxy through, int count) throws IOException {
        List<Client> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Client client = connect(through.port());
            assertThat(client.ask("PING")).isEqualTo(PONG);
            all.add(client);
        }
        return all;
    }

    /** Returns the indexes of the connections that were reset. */
    private static List<Integer> reset(List<Client> asked) throws IOException {
        List<Integer> reset = new ArrayList<>();
        for (int i = 0; i < asked.size(); i++) {
            try {
                assertThat(asked.get(i).ask("PING")).isEqualTo(PONG);
            } catch (SocketException e) {
                reset.add(i);
            }
        }
        return reset;
    }

    private static void assertReset(Client client) {
        assertThatThrownBy(() -> client.ask("PING")).isInstanceOf(SocketException.class);
    }

    private static void assertEnded(Client client) {
        assertThatThrownBy(client::line).isInstanceOfAny(SocketException.class, EOFException.class);
    }

    private static void assertSilent(Client client) throws IOException {
        assertThat(client.isSilent()).isTrue();
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.onSpinWait();
        }
    }

    /** A Redis client that does nothing by itself. */
    private static final class Client implements AutoCloseable {
        private final Socket socket;
        private final InputStream in;

        Client(Socket socket) throws IOException {
            this.socket = socket;
            this.in = new BufferedInputStream(socket.getInputStream());
            socket.setSoTimeout(PATIENCE_MILLIS);
        }

        void send(String command) throws IOException {
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
        }

        /** Returns the first line of the answer; the second one, with the value, is left out. */
        String ask(String command) throws IOException {
            send(command);
            String line = line();
            if (line.startsWith("$") && !line.equals("$-1")) {
                in.skipNBytes(Integer.parseInt(line.substring(1)) + 2L);
            }
            return line;
        }

        /** Returns the answer: its line, or its value. */
        String asks(String command) {
            try {
                send(command);
                String line = line();
                return line.startsWith("$") ? bytes(Integer.parseInt(line.substring(1)) + 2) : line;
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        String line() throws IOException {
            StringBuilder line = new StringBuilder();
            for (int next = in.read(); next != '\n'; next = in.read()) {
                if (next < 0) {
                    throw new EOFException();
                }
                line.append((char) next);
            }
            return line.toString().strip();
        }

        String bytes(int count) throws IOException {
            return new String(in.readNBytes(count), StandardCharsets.US_ASCII);
        }

        /** Returns whether nothing comes for a while, neither bytes nor an end. */
        boolean isSilent() throws IOException {
            socket.setSoTimeout(SILENCE_MILLIS);
            try {
                in.read();
                return false;
            } catch (SocketTimeoutException nothing) {
                return true;
            } catch (SocketException ended) {
                return false;
            } finally {
                socket.setSoTimeout(PATIENCE_MILLIS);
            }
        }

        boolean isAtEnd() throws IOException {
            return in.read() < 0;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
