package io.stampedeguard.testbed;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A check whether Docker's engine answers at an endpoint as in {@code DOCKER_HOST}, with a timeout for the connection and the
 * answer. It takes well under a second and logs nothing; Testcontainers would log a block of errors if the engine is absent.
 */
record DockerProbe(String endpoint, Duration patience) {
    private static final Duration USUAL_PATIENCE = Duration.ofMillis(500);
    private static final byte[] REQUEST =
            "GET /_ping HTTP/1.0\r\nHost: docker\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final String UNIX = "unix://";

    DockerProbe(String endpoint) {
        this(endpoint, USUAL_PATIENCE);
    }

    static DockerProbe of(Map<String, String> environment) {
        String given = environment.getOrDefault("DOCKER_HOST", "");
        return new DockerProbe(given.isEmpty() ? UNIX + socketOf(environment) : given);
    }

    private static String socketOf(Map<String, String> environment) {
        String common = "/var/run/docker.sock";
        String rootless = environment.getOrDefault("XDG_RUNTIME_DIR", "/run") + "/docker.sock";
        String desktop = System.getProperty("user.home") + "/.docker/run/docker.sock";
        return List.of(common, rootless, desktop).stream()
                .filter(path -> Files.exists(Path.of(path)))
                .findFirst()
                .orElse(common);
    }

    boolean answers() {
        try {
            if (endpoint.startsWith(UNIX)) {
                Path socket = Path.of(endpoint.substring(UNIX.length()));
                return Files.exists(socket) && answersAt(UnixDomainSocketAddress.of(socket));
            }
            URI uri = URI.create(endpoint);
            return "tcp".equals(uri.getScheme())
                    && uri.getHost() != null
                    && answersAt(new InetSocketAddress(uri.getHost(), uri.getPort()));
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    private boolean answersAt(SocketAddress address) throws IOException {
        long deadline = System.nanoTime() + patience.toNanos();
        try (SocketChannel channel = open(address);
                Selector selector = Selector.open()) {
            channel.configureBlocking(false);
            if (!channel.connect(address)) {
                await(channel, selector, SelectionKey.OP_CONNECT, deadline);
                channel.finishConnect();
            }
            channel.write(ByteBuffer.wrap(REQUEST));
            ByteBuffer answer = ByteBuffer.allocate(4);
            while (answer.hasRemaining()) {
                await(channel, selector, SelectionKey.OP_READ, deadline);
                if (channel.read(answer) < 0) {
                    return false;
                }
            }
            return new String(answer.array(), StandardCharsets.US_ASCII).equals("HTTP");
        }
    }

    private static SocketChannel open(SocketAddress address) throws IOException {
        return address instanceof UnixDomainSocketAddress
                ? SocketChannel.open(java.net.StandardProtocolFamily.UNIX)
                : SocketChannel.open();
    }

    private static void await(SocketChannel channel, Selector selector, int operation, long deadline)
            throws IOException {
        channel.register(selector, operation);
        selector.selectedKeys().clear();
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0 || selector.select(left) == 0) {
            throw new IOException("no answer in time");
        }
    }

    @Override
    public String toString() {
        return endpoint;
    }
}
