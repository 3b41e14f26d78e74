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

    RawListeners(URI redis, int count, String subscribed) throws IOException {
        for (int i = 0; i < count; i++) {
            SocketChannel channel = SocketChannel.open(new InetSocketAddress(redis.getHost(), redis.getPort()));
            subscribe(channel, subscribed);
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            channels.add(channel);
        }
        Thread thread = new Thread(this::read, "listeners");
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns when the answer has arrived. */
    private static void subscribe(SocketChannel connection, String subscribed) throws IOException {
        connection.write(ByteBuffer.wrap(("SUBSCRIBE " + subscribed + "\r\n").getBytes(StandardCharsets.US_ASCII)));
        connection.read(ByteBuffer.allocate(1 << 10));
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
