package io.stampedeguard.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A proxy between clients and a Redis server that passes each command through a function, which may hold it, change it, answer it, or
 * break the connection by an {@link UncheckedIOException}. Answers of the server are passed on as they are. The function is called on
 * a thread of the connection. <em>Thread-safe.</em>
 */
public final class CommandProxy implements AutoCloseable {
    private static final int BACKLOG = 512;

    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Way way;
    private final InetSocketAddress server;
    private final ServerSocket listener;

    /** Creates a proxy that accepts connections. */
    public CommandProxy(String host, int port, UnaryOperator<List<byte[]>> way) {
        this(host, port, (words, client) -> way.apply(words));
    }

    /** Creates a proxy that accepts connections, and may answer commands itself. */
    CommandProxy(String host, int port, Way way) {
        this.way = way;
        server = new InetSocketAddress(host, port);
        try {
            listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    /** Returns the URI of the server for a Redis client, through this proxy. */
    public String uri() {
        return "redis://127.0.0.1:" + port();
    }

    int port() {
        return listener.getLocalPort();
    }

    /** What becomes of a command. */
    interface Way {
        /** Returns the command to pass on; {@code null} if it needs none, because the answer was written to the client. */
        @Nullable
        List<byte[]> pass(List<byte[]> words, OutputStream client) throws IOException;
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "command-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Socket redis = new Socket(server.getAddress(), server.getPort());
                redis.setTcpNoDelay(true);
                client.setTcpNoDelay(true);
                sockets.addAll(List.of(client, redis));
                OutputStream answers = client.getOutputStream();
                start(() -> move(client, redis, (from, to) -> passOnCommands(from, to, answers)));
                start(() -> move(redis, client, InputStream::transferTo));
                if (listener.isClosed()) {
                    close();
                }
            } catch (IOException isClosed) {
                // or the server is gone: the client notices
            }
        }
    }

    private interface Flow {
        void pass(InputStream from, OutputStream to) throws IOException;
    }

    private void move(Socket from, Socket to, Flow flow) {
        try {
            flow.pass(from.getInputStream(), to.getOutputStream());
        } catch (IOException | UncheckedIOException oneSideIsGone) {
            // the other one is told below
        } finally {
            close(from);
            close(to);
        }
    }

    private void close(Socket socket) {
        sockets.remove(socket);
        try {
            socket.close();
        } catch (IOException isGone) {
            // as it should be
        }
    }

    private void passOnCommands(InputStream from, OutputStream to, OutputStream client) throws IOException {
        InputStream commands = new BufferedInputStream(from);
        OutputStream server = new BufferedOutputStream(to);
        while (true) {
            List<byte[]> words = new ArrayList<>();
            for (int left = number(commands, '*'); left > 0; left--) {
                words.add(word(commands));
            }
            List<byte[]> passed = way.pass(words, client);
            if (passed == null) {
                continue;
            }
            server.write(("*" + passed.size() + "\r\n").getBytes(US_ASCII));
            for (byte[] word : passed) {
                server.write(("$" + word.length + "\r\n").getBytes(US_ASCII));
                server.write(word);
                server.write("\r\n".getBytes(US_ASCII));
            }
            if (commands.available() == 0) {
                server.flush();
            }
        }
    }

    private static byte[] word(InputStream from) throws IOException {
        int length = number(from, '$');
        byte[] word = from.readNBytes(length);
        if (word.length < length || from.read() != '\r' || from.read() != '\n') {
            throw new EOFException();
        }
        return word;
    }

    private static int number(InputStream from, char kind) throws IOException {
        if (from.read() != kind) {
            throw new EOFException();
        }
        StringBuilder digits = new StringBuilder();
        for (int next = from.read(); next != '\r'; next = from.read()) {
            if (next < 0) {
                throw new EOFException();
            }
            digits.append((char) next);
        }
        from.read();
        return Integer.parseInt(digits.toString());
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        sockets.forEach(this::close);
    }
}
