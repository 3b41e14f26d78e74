package io.stampedeguard.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.URI;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;

/**
 * A socket that answers like a server of an old version, because none is available: {@code HELLO} (which came with
 * 6.0), {@code TIME}, {@code INFO}, and scripts; {@code OK} for all others.
 */
final class OldServer implements AutoCloseable {
    private final CommandProxy proxy;

    private OldServer(String version, CountDownLatch answersInfo) {
        URI unused = URI.create(SharedRedis.uri());
        proxy = new CommandProxy(unused.getHost(), unused.getPort(), (words, client) -> {
            String command = new String(words.get(0), US_ASCII).toUpperCase(Locale.ROOT);
            if (command.equals("INFO")) {
                await(answersInfo);
            }
            client.write(answer(command, version).getBytes(US_ASCII));
            return null;
        });
    }

    static OldServer start(String version) {
        return start(version, new CountDownLatch(0));
    }

    /** Starts a server that does not answer {@code INFO} before the latch is open. */
    static OldServer start(String version, CountDownLatch answersInfo) {
        return new OldServer(version, answersInfo);
    }

    String host() {
        return "127.0.0.1";
    }

    int port() {
        return proxy.port();
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static String answer(String command, String version) {
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
        proxy.close();
    }
}
