package io.stampedeguard.redis.near;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A network in front of a Redis server that can lose messages on the connections of invalidation feeds, or cut them; it
 * does not affect other connections. It recognizes these connections by their names. <em>Thread-safe.</em>
 */
final class ChangesRelay implements AutoCloseable {
    private static final String NAME = "-changes";

    private final Set<Line> lines = ConcurrentHashMap.newKeySet();
    private final ServerSocket door;
    private final String host;
    private final int port;
    private volatile State state = State.OPEN;

    private enum State {
        OPEN,
        LOSES,
        REFUSES
    }

    /** Opens a relay to a server. */
    ChangesRelay(String host, int port) {
        this.host = host;
        this.port = port;
        try {
            door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    String uri() {
        return "redis://127.0.0.1:" + door.getLocalPort();
    }

    /** From now on nothing reaches the client, without any sign: no end, no reset. */
    void lose() {
        state = State.LOSES;
    }

    /** From now on each such connection, old or new, is closed cleanly. */
    void refuse() {
        state = State.REFUSES;
        lines.stream().filter(line -> line.hearsChanges).forEach(Line::close);
    }

    /** From now on new connections work. Connections that have lost something are not repaired. */
    void open() {
        state = State.OPEN;
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "changes-relay");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Line line = new Line(door.accept(), new Socket(host, port));
                lines.add(line);
                start(line::toServer);
                start(line::toClient);
            }
        } catch (IOException closed) {
            lines.forEach(Line::close);
        }
    }

    @Override
    public void close() {
        try {
            door.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private final class Line {
        private final Socket client;
        private final Socket server;
        private final StringBuilder greeting = new StringBuilder();
        private volatile boolean hearsChanges;
        private boolean loses;

        Line(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        private void toServer() {
            pump(client, server, this::mayGoToServer);
        }

        private boolean mayGoToServer(String said) {
            if (!hearsChanges && greeting.length() < 1_000) {
                hearsChanges = greeting.append(said).indexOf(NAME) >= 0;
            }
            if (hearsChanges && state == State.REFUSES) {
                close();
            }
            return true;
        }

        private void toClient() {
            pump(server, client, said -> {
                loses |= hearsChanges && state == State.LOSES;
                return !loses;
            });
        }

        private void pump(Socket from, Socket to, Gate gate) {
            byte[] buffer = new byte[1 << 14];
            try (from;
                    to;
                    InputStream in = from.getInputStream();
                    OutputStream out = to.getOutputStream()) {
                for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                    if (gate.lets(new String(buffer, 0, length, StandardCharsets.ISO_8859_1))) {
                        out.write(buffer, 0, length);
                    }
                }
            } catch (IOException ended) {
                // Then the other side ends as well.
            } finally {
                lines.remove(this);
            }
        }

        void close() {
            try (client;
                    server) {
                // Both, even if closing one of them fails.
            } catch (IOException ended) {
                // As intended.
            }
        }
    }

    private interface Gate {
        boolean lets(String said);
    }
}
