package io.stampedeguard.benchmarks;

import io.stampedeguard.testbed.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import redis.clients.jedis.RedisClient;

/**
 * The cost for Redis of a message with no, or many, subscribers. It informs the choice between a channel for each key,
 * subscribed while a caller waits, and one for each cache, which all processes always subscribe to. Prints Redis'
 * processor time and the bytes it sends for each message.
 */
public final class NoticeCost {
    private static final int MESSAGES = 20_000;
    private static final int WARM_UP = 2_000;

    private NoticeCost() {}

    /** Runs the measurement; takes about ten seconds. */
    public static void main(String[] arguments) throws IOException {
        System.out.println("listeners  bytes  Redis CPU us per message  bytes sent per message");
        try (RedisServer redis = RedisServer.start();
                RedisClient client = RedisClient.create(redis.uri())) {
            for (int bytes : new int[] {100, 8_192}) {
                for (int listeners : new int[] {0, 1, 8, 64}) {
                    URI uri = URI.create(redis.uri());
                    try (RawListeners all = new RawListeners(uri, listeners, "notices")) {
                        measure(client, all.count(), new byte[bytes]);
                    }
                }
            }
        }
    }

    private static void measure(RedisClient client, int listeners, byte[] message) {
        byte[] channel = "notices".getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < WARM_UP; i++) {
            client.publish(channel, message);
        }
        RedisCost before = RedisCost.soFar(client);
        for (int i = 0; i < MESSAGES; i++) {
            client.publish(channel, message);
        }
        RedisCost each = RedisCost.soFar(client).since(before, MESSAGES);
        System.out.printf("%9d  %5d  %24.1f  %22.0f%n", listeners, message.length, each.cpuMicros(), each.sentBytes());
    }
}
