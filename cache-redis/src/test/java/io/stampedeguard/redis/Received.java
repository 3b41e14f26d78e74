package io.stampedeguard.redis;

import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testkit.Fleet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisMonitor;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * What clients have sent to a server since this was created, with the keys, so that a test can tell its own commands from
 * those of others. Those of scripts are left out. <em>Thread-safe.</em>
 */
final class Received implements AutoCloseable {
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final String host;
    private final int port;
    private final Jedis connection;

    /** Starts to listen, and returns when the server has agreed to it. */
    Received(RedisProcess server) {
        host = server.host();
        port = server.port();
        connection = new Jedis(host, port, 0);
        CountDownLatch agreed = new CountDownLatch(1);
        Thread thread = new Thread(() -> listen(agreed), "monitor");
        thread.setDaemon(true);
        thread.start();
        try {
            agreed.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void listen(CountDownLatch agreed) {
        try {
            connection.monitor(new JedisMonitor() {
                @Override
                public void proceed(Connection client) {
                    agreed.countDown();
                    super.proceed(client);
                }

                @Override
                public void onCommand(String command) {
                    if (!command.contains(" lua]")) {
                        lines.add(command);
                    }
                }
            });
        } catch (JedisConnectionException closed) {
            // by the test
        }
    }

    /** Returns the lines of {@code MONITOR} so far, once all that the server has read by now are among them. */
    List<String> untilNow() {
        String mark = UUID.randomUUID().toString();
        try (Jedis other = new Jedis(host, port)) {
            other.echo(mark);
        }
        Fleet.until(() -> lines.stream().anyMatch(each -> each.contains(mark)));
        return lines.stream().takeWhile(each -> !each.contains(mark)).toList();
    }

    @Override
    public void close() {
        connection.disconnect();
    }
}
