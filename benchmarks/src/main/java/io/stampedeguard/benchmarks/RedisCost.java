package io.stampedeguard.benchmarks;

import io.stampedeguard.testbed.measure.RedisCpu;
import java.util.regex.Pattern;
import redis.clients.jedis.RedisClient;

/** The work that Redis has done: processor time, and the bytes that it has sent to clients. */
record RedisCost(double cpuMicros, double sentBytes) {
    private static final Pattern SENT = Pattern.compile("total_net_output_bytes:([0-9]+)");

    /** Returns the work since the start of the server. */
    static RedisCost soFar(RedisClient client) {
        return new RedisCost(RedisCpu.parse(client.info("cpu")).seconds() * 1e6, sentBytes(client.info("stats")));
    }

    /** Returns the work since an earlier reading, divided by the number of operations. */
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
