package io.stampedeguard.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Test;

class RedisProcessTest {
    @Test
    void itAnswersUntilItIsClosed() throws Exception {
        RedisProcess server = RedisServer.startProcess();
        ProcessHandle process = ProcessHandle.of(server.pid()).orElseThrow();
        Ping.send(server.host(), server.port());

        server.close();
        server.close();

        assertThat(process.isAlive()).isFalse();
        assertThatThrownBy(() -> Ping.send(server.host(), server.port())).isInstanceOf(IOException.class);
        assertThatThrownBy(server::restart).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void twoServersDoNotMeet() {
        try (RedisProcess one = RedisServer.startProcess();
                RedisProcess other = RedisServer.startProcess()) {
            assertThat(one.port()).isNotEqualTo(other.port());
            assertThat(one.pid()).isNotEqualTo(other.pid());
        }
    }

    @Test
    void aPausedServerIsSilentUntilItIsResumed() throws Exception {
        try (RedisProcess server = RedisServer.startProcess();
                Socket socket = new Socket(server.host(), server.port())) {
            server.pause();
            socket.setSoTimeout(200);
            socket.getOutputStream().write("PING\r\n".getBytes());
            assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);

            server.resume();
            socket.setSoTimeout(10_000);
            assertThat(socket.getInputStream().readNBytes(7)).asString().isEqualTo("+PONG\r\n");
        }
    }

    @Test
    void aPausedServerCanBeClosed() {
        RedisProcess server = RedisServer.startProcess();
        ProcessHandle process = ProcessHandle.of(server.pid()).orElseThrow();
        server.pause();
        server.close();
        assertThat(process.isAlive()).isFalse();
    }

    @Test
    void aRestartedServerIsEmptyAndHasTheSamePort() throws Exception {
        try (RedisProcess server = RedisServer.startProcess()) {
            int port = server.port();
            long pid = server.pid();
            assertThat(ask(server, "SET a 1")).isEqualTo("+OK");
            server.restart();
            assertThat(server.port()).isEqualTo(port);
            assertThat(server.pid()).isNotEqualTo(pid);
            assertThat(ask(server, "DBSIZE")).isEqualTo(":0");
        }
    }

    @Test
    void noOutgoingConnectionTakesThePortOfAServerThatIsDown() {
        try (RedisProcess server = RedisServer.startProcess()) {
            assertThat(server.port()).as("outgoing ones begin there, or above").isLessThan(32_768);
        }
    }

    @Test
    void aServerWithPasswordCountsAsAnswering() throws Exception {
        try (RedisProcess server = RedisServer.startProcess("--requirepass", "geheim")) {
            assertThat(ask(server, "DBSIZE")).startsWith("-NOAUTH");
            assertThat(server.description()).doesNotContain("geheim");
        }
    }

    @Test
    void aFurtherPortCanBeAskedFor() throws Exception {
        try (RedisProcess server =
                RedisServer.startProcess("--cluster-enabled", "yes", "--cluster-port", RedisProcess.FREE_PORT)) {
            Ping.connect(server.host(), server.portOf("--cluster-port"));
            assertThatThrownBy(() -> server.portOf("--tls-port")).hasMessage("redis-server was given no --tls-port");
        }
    }

    @Test
    void aTakenPortIsReportedAfterFiveAttempts() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> RedisServer.startProcess("--port", Integer.toString(taken.getLocalPort())))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("redis-server did not start in 5 attempts")
                    .hasMessageContaining("Failed listening on port");
        }
    }

    @Test
    void whatTheServerSaysAboutABadArgumentIsInTheMessage() {
        assertThatThrownBy(() -> RedisServer.startProcess("--no-such-setting", "1"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no-such-setting");
    }

    private static String ask(RedisProcess server, String command) throws IOException {
        try (Socket socket = new Socket(server.host(), server.port())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write((command + "\r\nQUIT\r\n").getBytes());
            return new String(socket.getInputStream().readAllBytes()).split("\r\n")[0];
        }
    }
}
