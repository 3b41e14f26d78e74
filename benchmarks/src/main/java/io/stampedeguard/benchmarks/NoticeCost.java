package io.stampedeguard.benchmarks;

import io.stampedeguard.testbed.RedisServer;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClient;

/**
 * What a message costs Redis that nobody, or everybody, listens to: the choice between a channel for each key, subscribed
 * while somebody waits, and one for each cache, subscribed by all processes for ever. Prints Redis' processor time and
 * the bytes it sends for each message.
 */
public final class NoticeCost {
    private static final int MESSAGES = 20_000;
    private static final int WARM_UP = 2_000;
    private static final Pattern CPU = Pattern.compile("used_cpu_(?:sys|user):([0-9.]+)");
    private static final Pattern SENT = Pattern.compile("total_net_output_bytes:([0-9]+)");

    private NoticeCost() {}

    /**
     * Runs the measurement, about ten seconds.
     *
     * @param arguments none
     * @throws IOException if a subscriber cannot connect
     */
    public static void main(String[] arguments) throws IOException {
        System.out.println("listeners  bytes  Redis CPU us per message  bytes sent per message");
        try (RedisServer redis = RedisServer.start();
                RedisClient client = RedisClient.create(redis.uri())) {
            for (int bytes : new int[] {100, 8_192}) {
                for (int listeners : new int[] {0, 1, 8, 64}) {
                    try (Listeners all = new Listeners(URI.create(redis.uri()), listeners)) {
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
        double cpu = sum(CPU, info(client, "cpu"));
        double sent = sum(SENT, info(client, "stats"));
        for (int i = 0; i < MESSAGES; i++) {
            client.publish(channel, message);
        }
        System.out.printf(
                "%9d  %5d  %24.1f  %22.0f%n",
                listeners,
                message.length,
                (sum(CPU, info(client, "cpu")) - cpu) * 1_000_000 / MESSAGES,
                (sum(SENT, info(client, "stats")) - sent) / MESSAGES);
    }

    private static String info(RedisClient client, String section) {
        Object answer = client.executeCommand(new CommandArguments(Protocol.Command.INFO).add(section));
        return new String((byte[]) answer, StandardCharsets.US_ASCII);
    }

    private static double sum(Pattern figure, String info) {
        Matcher found = figure.matcher(info);
        double sum = 0;
        while (found.find()) {
            sum += Double.parseDouble(found.group(1));
        }
        return sum;
    }

    /** Subscribers that read and forget, all on one thread. */
    private static final class Listeners implements AutoCloseable {
        private final Selector selector = Selector.open();
        private final List<SocketChannel> channels = new ArrayList<>();

        Listeners(URI redis, int count) throws IOException {
            for (int i = 0; i < count; i++) {
                SocketChannel channel = SocketChannel.open(new InetSocketAddress(redis.getHost(), redis.getPort()));
                channel.write(ByteBuffer.wrap("SUBSCRIBE notices\r\n".getBytes(StandardCharsets.US_ASCII)));
                channel.configureBlocking(false);
                channel.register(selector, SelectionKey.OP_READ);
                channels.add(channel);
            }
            Thread thread = new Thread(this::read, "listeners");
            thread.setDaemon(true);
            thread.start();
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
}
