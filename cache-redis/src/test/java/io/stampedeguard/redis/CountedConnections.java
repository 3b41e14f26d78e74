package io.stampedeguard.redis;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import redis.clients.jedis.ConnectionFactory;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.PooledConnectionProvider;

/**
 * Real connections to a real server that count reads after writes, which are round trips, and can lose an answer.
 * <em>Thread-safe.</em>
 *
 * @param port of the server on this machine
 * @param roundTrips counts them
 * @param losing whether the next answer is lost, together with its connection
 */
record CountedConnections(int port, AtomicInteger roundTrips, AtomicBoolean losing) implements JedisSocketFactory {
    CountedConnections(int port) {
        this(port, new AtomicInteger(), new AtomicBoolean());
    }

    UnifiedJedis client() {
        return new UnifiedJedis(
                new PooledConnectionProvider(new ConnectionFactory(this, Topologies.config()), Topologies.pool(4)),
                RedisProtocol.RESP2) {};
    }

    /** Returns the number of round trips of an action. */
    int during(Runnable what) {
        int before = roundTrips.get();
        what.run();
        return roundTrips.get() - before;
    }

    @Override
    public Socket createSocket() {
        try {
            Counted socket = new Counted();
            socket.connect(new InetSocketAddress("127.0.0.1", port));
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private final class Counted extends Socket {
        private boolean hasWritten;

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    hasWritten = true;
                    out.write(bytes, offset, length);
                }
            };
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    if (hasWritten) {
                        hasWritten = false;
                        roundTrips.incrementAndGet();
                    }
                    int read = in.read(bytes, offset, length);
                    return losing.getAndSet(false) ? -1 : read;
                }
            };
        }
    }
}
