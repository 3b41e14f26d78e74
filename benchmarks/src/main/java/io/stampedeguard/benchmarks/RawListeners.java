package io.stampedeguard.benchmarks;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Connections that read all messages of Redis and discard them, on one thread; for Redis they are like many processes. */
final class RawListeners implements AutoCloseable {
    private final Selector selector = Selector.open();
    private final List<SocketChannel> channels = new ArrayList<>();

    /** The blocking exchange on a connection, before the reading thread takes it over. */
    interface Handshake {
        void say(SocketChannel connection) throws IOException;
    }

    RawListeners(URI redis, int count, Handshake handshake) throws IOException {
        for (int i = 0; i < count; i++) {
            SocketChannel channel = SocketChannel.open(new InetSocketAddress(redis.getHost(), redis.getPort()));
            handshake.say(channel);
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            channels.add(channel);
        }
        Thread thread = new Thread(this::read, "listeners");
        thread.setDaemon(true);
        thread.start();
    }

    /** Sends a command and returns the part of the answer that has arrived first. */
    static String ask(SocketChannel connection, String command) throws IOException {
        connection.write(ByteBuffer.wrap((command + "\r\n").getBytes(StandardCharsets.US_ASCII)));
        ByteBuffer answer = ByteBuffer.allocate(1 << 10);
        connection.read(answer);
        return new String(answer.array(), 0, answer.position(), StandardCharsets.US_ASCII);
    }

    int count() {
        return channels.size();
    }

    private void read() {
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        try {
            while (selector.isOpen()) {
                selector.select(key -> drain((SocketChannel) key.channel(), buffer));
            }
        } catch (IOException | ClosedSelectorException closed) {
            // the measurement is over
        }
    }

    private static void drain(SocketChannel channel, ByteBuffer buffer) {
        try {
            buffer.clear();
            channel.read(buffer);
        } catch (IOException closed) {
            // the measurement is over
        }
    }

    @Override
    public void close() throws IOException {
        selector.close();
        for (SocketChannel channel : channels) {
            channel.close();
        }
    }
}
