package io.stampedeguard.redis;

import io.stampedeguard.testbed.RedisProcess;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Pattern;

/** A relay before a server that can announce the longest answer there is to each command, and then sends nothing. */
final class EnormousAnswers implements AutoCloseable {
    private static final Pattern COMMAND = Pattern.compile("\r\n(GET|MGET|EVALSHA|EVAL|PING)\r\n");
    private static final int BUFFER_BYTES = 1 << 16;

    private final ServerSocket listening;
    private final RedisProcess server;
    private volatile boolean announces;

    private EnormousAnswers(ServerSocket listening, RedisProcess server) {
        this.listening = listening;
        this.server = server;
    }

    static EnormousAnswers before(RedisProcess server) {
        try {
            EnormousAnswers relay =
                    new EnormousAnswers(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), server);
            daemon(relay::acceptAll);
            return relay;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return listening.getLocalPort();
    }

    void announce(boolean enormous) {
        announces = enormous;
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
    }

    private void acceptAll() {
        try {
            while (true) {
                Socket client = listening.accept();
                daemon(() -> serve(client));
            }
        } catch (IOException closed) {
            // The end of the test.
        }
    }

    private void serve(Socket client) {
        try (client;
                Socket redis = new Socket(server.host(), server.port())) {
            daemon(() -> copyAnswers(redis, client));
            byte[] buffer = new byte[BUFFER_BYTES];
            InputStream requests = client.getInputStream();
            for (int read = requests.read(buffer); read >= 0; read = requests.read(buffer)) {
                byte[] request = Arrays.copyOf(buffer, read);
                if (announces
                        && COMMAND.matcher(new String(request, StandardCharsets.ISO_8859_1))
                                .find()) {
                    client.getOutputStream().write("$2147483647\r\n".getBytes(StandardCharsets.US_ASCII));
                } else {
                    redis.getOutputStream().write(request);
                }
            }
        } catch (IOException gone) {
            // One side has closed.
        }
    }

    private static void copyAnswers(Socket redis, Socket client) {
        try (redis;
                client) {
            OutputStream answers = client.getOutputStream();
            redis.getInputStream().transferTo(answers);
        } catch (IOException gone) {
            // One side has closed.
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
