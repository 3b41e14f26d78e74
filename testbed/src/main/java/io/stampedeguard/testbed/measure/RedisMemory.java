package io.stampedeguard.testbed.measure;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How much memory a Redis server uses, by its own {@code INFO memory}, without what its connections take: their buffers
 * come and go. <em>Immutable.</em>
 *
 * @param bytes {@code used_memory} less {@code mem_clients_normal}
 */
public record RedisMemory(long bytes) {
    private static final double BYTES_PER_MEBIBYTE = 1 << 20;

    /**
     * Reads the answer to {@code INFO memory}.
     *
     * @param info the answer
     * @return the memory it tells
     * @throws IllegalArgumentException if it tells of none
     */
    public static RedisMemory parse(String info) {
        return new RedisMemory(number(info, "used_memory") - number(info, "mem_clients_normal"));
    }

    private static long number(String info, String name) {
        Matcher line =
                Pattern.compile("^" + name + ":([0-9]+)", Pattern.MULTILINE).matcher(info);
        if (!line.find()) {
            throw new IllegalArgumentException("INFO says nothing of " + name);
        }
        return Long.parseLong(line.group(1));
    }

    /**
     * Returns by how much it has grown.
     *
     * @param earlier an earlier look
     * @return MiB
     */
    public double mebibytesSince(RedisMemory earlier) {
        return (bytes - earlier.bytes) / BYTES_PER_MEBIBYTE;
    }
}
