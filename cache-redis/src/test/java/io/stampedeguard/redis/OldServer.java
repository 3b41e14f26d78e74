package io.stampedeguard.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;

/**
 * A socket that answers like a server of an old version, because none is available: {@code HELLO} (which came with
 * 6.0), {@code TIME}, {@code INFO}, and scripts; {@code OK} for all others.
 */
final class OldServer implements AutoCloseable {
    private final ServerSocket listening;
    private final String version;
    private final CountDownLatch answersInfo;

    private OldServer(ServerSocket listening, String version, CountDownLatch answersInfo) {
        this.listening = listening;
        this.version = version;
        this.answersInfo = answersInfo;
    }

    static OldServer start(String version) throws IOException {
        return start(version, new CountDownLatch(0));
    }

    /** Starts a server that does not answer {@code INFO} before the latch is open. */
    static OldServer start(String version, CountDownLatch answersInfo) throws IOException {
        OldServer server =
                new OldServer(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), version, answersInfo);
        daemon(server::acceptAll);
        return server;
    }

    String host() {
        return "127.0.0.1";
    }

    int port() {
        return listening.getLocalPort();
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
                BufferedReader input = new BufferedReader(
                        new InputStreamReader(client.getInputStream(), StandardCharsets.ISO_8859_1))) {
            OutputStream output = client.getOutputStream();
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                String command = command(line, input);
                if (command.equals("INFO")) {
                    answersInfo.await();
                }
                output.write(answerTo(command).getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException | InterruptedException gone) {
            // The client has closed.
        }
    }

    /** Reads {@code *n}, then n times {@code $length} and the word; returns the first word. */
    private static String command(String count, BufferedReader input) throws IOException {
        String first = "";
        for (int word = 0; word < Integer.parseInt(count.substring(1)); word++) {
            char[] text = new char[Integer.parseInt(input.readLine().substring(1)) + 2];
            int read = 0;
            while (read < text.length) {
                read += input.read(text, read, text.length - read);
            }
            first = word == 0 ? new String(text).trim().toUpperCase(Locale.ROOT) : first;
        }
        return first;
    }

    private String answerTo(String command) {
        String info = "# Server\r\nredis_version:" + version + "\r\nredis_git_sha1:00000000\r\n";
        return switch (command) {
            case "HELLO" ->
                version.compareTo("6") < 0
                        ? "-ERR unknown command `HELLO`, with args beginning with: `2`, \r\n"
                        : "*2\r\n$5\r\nproto\r\n:2\r\n";
            case "TIME" -> "*2\r\n$10\r\n1700000000\r\n$6\r\n123456\r\n";
            case "INFO" -> "$" + info.length() + "\r\n" + info + "\r\n";
            case "EVALSHA" -> ":1\r\n";
            default -> "+OK\r\n";
        };
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
