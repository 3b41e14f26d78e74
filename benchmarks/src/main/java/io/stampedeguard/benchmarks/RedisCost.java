package io.stampedeguard.benchmarks;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClient;

/**
 * What Redis has spent.
 *
 * @param cpuMicros processor time
 * @param sentBytes what it has sent to clients
 */
record RedisCost(double cpuMicros, double sentBytes) {
    private static final Pattern CPU = Pattern.compile("used_cpu_(?:sys|user):([0-9.]+)");
    private static final Pattern SENT = Pattern.compile("total_net_output_bytes:([0-9]+)");

    /** Since the server was started. */
    static RedisCost soFar(RedisClient client) {
        return new RedisCost(sum(CPU, info(client, "cpu")) * 1e6, sum(SENT, info(client, "stats")));
    }

    /** From an earlier moment to this one, for each of some operations. */
    RedisCost since(RedisCost earlier, int operations) {
        return new RedisCost(
                (cpuMicros - earlier.cpuMicros) / operations, (sentBytes - earlier.sentBytes) / operations);
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
}
