package io.stampedeguard.testbed.fault;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.function.LongSupplier;

/** A connection of a client, and its connection to the server. Confined to the thread of the proxy. */
final class Link {
    private final SocketChannel client;
    private final SocketChannel server;
    private final SelectionKey clientKey;
    private final SelectionKey serverKey;
    private final Flow toServer;
    private final Flow fromServer;

    /** Whether it is reset when the client sends its first bytes. */
    private final boolean doomed;

    private boolean connected;

    private Link(SocketChannel client, SocketChannel server, Selector selector, boolean doomed) throws IOException {
        this.client = client;
        this.server = server;
        this.doomed = doomed;
        this.toServer = new Flow(client, server);
        this.fromServer = new Flow(server, client);
        this.clientKey = client.register(selector, 0, this);
        this.serverKey = server.register(selector, 0, this);
    }

    /** Begins to connect a client to the server; if that fails later, the client is reset. */
    @SuppressWarnings("resource") // owned by the link
    static Link open(SocketChannel client, InetSocketAddress address, Selector selector, boolean doomed)
            throws IOException {
        SocketChannel server = SocketChannel.open();
        try {
            for (SocketChannel channel : new SocketChannel[] {client, server}) {
                channel.configureBlocking(false);
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            }
            Link link = new Link(client, server, selector, doomed);
            link.connected = server.connect(address);
            return link;
        } catch (IOException e) {
            reset(client);
            server.close();
            throw e;
        }
    }

    Flow flow(Direction direction) {
        return direction == Direction.TO_SERVER ? toServer : fromServer;
    }

    /** Moves bytes as far as a channel allows; returns the number of bytes that are lost. */
    int handle(SelectionKey key, ByteBuffer buffer, LongSupplier answerDelayNanos) throws IOException {
        if (key.isConnectable()) {
            connected = server.finishConnect();
        }
        boolean fromClient = key.equals(clientKey);
        int lost = 0;
        if (key.isReadable() && doomed && fromClient) {
            reset();
        } else if (key.isReadable()) {
            lost = fromClient ? toServer.read(buffer, 0) : fromServer.read(buffer, answerDelayNanos.getAsLong());
        }
        if (key.isValid() && key.isWritable()) {
            (fromClient ? fromServer : toServer).forward(System.nanoTime());
        }
        return lost;
    }

    /** Writes what is due. */
    void forward(long now) {
        toServer.forward(now);
        fromServer.forward(now);
    }

    long nanosUntilDue(long now) {
        return Math.min(toServer.nanosUntilDue(now), fromServer.nanosUntilDue(now));
    }

    /** Asks the selector for what can happen next; closes this link if both streams are over. */
    void update(boolean stalled) {
        if (toServer.isOver() && fromServer.isOver()) {
            close();
        }
        if (isOpen()) {
            setInterest(clientKey, stalled || !connected ? 0 : interest(toServer, fromServer));
            setInterest(
                    serverKey, connected ? (stalled ? 0 : interest(fromServer, toServer)) : SelectionKey.OP_CONNECT);
        }
    }

    private static int interest(Flow reading, Flow writing) {
        return (reading.canRead() ? SelectionKey.OP_READ : 0) | (writing.isCongested() ? SelectionKey.OP_WRITE : 0);
    }

    private static void setInterest(SelectionKey key, int interest) {
        if (key.interestOps() != interest) {
            key.interestOps(interest);
        }
    }

    boolean isOpen() {
        return client.isOpen();
    }

    boolean isDamaged() {
        return toServer.isDamaged() || fromServer.isDamaged();
    }

    /** Closes both connections in order. */
    void close() {
        try (client;
                server) {
            // Both, even if closing one of them fails.
        } catch (IOException gone) {
            // It is closed.
        }
    }

    /** Resets both connections (RST). */
    void reset() {
        reset(client);
        reset(server);
    }

    static void reset(SocketChannel channel) {
        try (channel) {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException gone) {
            // It is closed.
        }
    }
}
