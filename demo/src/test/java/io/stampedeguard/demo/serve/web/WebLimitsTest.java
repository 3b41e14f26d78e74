package io.stampedeguard.demo.serve.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.fleet.Fleet;
import io.stampedeguard.testbed.fleet.MemberCommand;
import io.stampedeguard.testbed.fleet.Message;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The web server's limits, in a JVM of its own: the JDK reads them once in a JVM, when its first web server starts. */
class WebLimitsTest {
    /** The server closes the connection after 10 s. */
    private static final int HANGS_MILLIS = 120_000;

    private static Fleet program;
    private static URI url;

    @BeforeAll
    static void start() throws Exception {
        program = Fleet.start(1, MemberCommand.small(WebProgram.class, 128));
        url = URI.create(program.collect(WebProgram.LISTENS, Duration.ofMinutes(1))
                .get(0)
                .text("url"));
    }

    @AfterAll
    static void end() {
        program.close();
    }

    @Test
    void anUnfinishedRequestIsDisconnectedButNotAnEventStream() throws IOException {
        try (Socket waiting = connect();
                Socket slow = connect()) {
            waiting.getOutputStream()
                    .write(("GET /events HTTP/1.1\r\nHost: " + url.getAuthority() + "\r\n\r\n")
                            .getBytes(StandardCharsets.UTF_8));
            slow.getOutputStream().write('G');

            assertThat(endOf(slow)).isEqualTo(-1);

            BufferedReader in =
                    new BufferedReader(new InputStreamReader(waiting.getInputStream(), StandardCharsets.UTF_8));
            assertThat(in.lines().takeWhile(line -> !line.equals("event: now"))).contains("event: start");
            program.send(Message.of(WebProgram.SAY).with("line", "still there"));
            assertThat(in.lines().filter(line -> line.contains("still there")).findFirst())
                    .isPresent();
        }
    }

    @Test
    void moreConnectionsThanThereAreThreadsForAreNotTaken() throws IOException {
        List<Socket> idle = new ArrayList<>();
        try {
            for (int i = 0; i < 200; i++) {
                idle.add(connect());
            }
            try (Socket tooMany = connect()) {
                assertThat(endOf(tooMany)).isEqualTo(-1);
            }
        } finally {
            for (Socket socket : idle) {
                socket.close();
            }
        }
    }

    /** Returns the end of a connection, in whatever way the other side closed it. */
    private static int endOf(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read();
        } catch (SocketException reset) {
            return -1;
        }
    }

    private static Socket connect() throws IOException {
        Socket socket = new Socket(url.getHost(), url.getPort());
        socket.setSoTimeout(HANGS_MILLIS);
        return socket;
    }
}
