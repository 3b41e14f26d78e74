package io.stampedeguard.benchmarks;

import io.stampedeguard.testbed.measure.RedisCpu;
import java.util.regex.Pattern;
import redis.clients.jedis.RedisClient;

/**
 * What Redis has spent.
 *
 * @param cpuMicros processor time
 * @param sentBytes what it has sent to clients
 */
record RedisCost(double cpuMicros, double sentBytes) {
    private static final Pattern SENT = Pattern.compile("total_net_output_bytes:([0-9]+)");

    /** Since the server was started. */
    static RedisCost soFar(RedisClient client) {
        return new RedisCost(RedisCpu.parse(client.info("cpu")).seconds() * 1e6, sentBytes(client.info("stats")));
    }

    /** From an earlier moment to this one, for each of some operations. */
    RedisCost since(RedisCost earlier, int operations) {
        return new RedisCost(
                (cpuMicros - earlier.cpuMicros) / operations, (sentBytes - earlier.sentBytes) / operations);
    }

    private static double sentBytes(String info) {
        return SENT.matcher(info)
                .results()
                .mapToDouble(sent -> Double.parseDouble(sent.group(1)))
                .sum();
    }
}
