package io.stampedeguard.testbed.measure;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The memory that a Redis server uses, from its own {@code INFO memory}, without its connections, whose buffers come
 * and go. <em>Immutable.</em>
 *
 * @param bytes {@code used_memory} less {@code mem_clients_normal}
 */
public record RedisMemory(long bytes) {
    private static final double BYTES_PER_MEBIBYTE = 1 << 20;

    /**
     * {@return the memory in the answer to {@code INFO memory}}
     *
     * @throws IllegalArgumentException if a number is missing
     */
    public static RedisMemory parse(String info) {
        return new RedisMemory(number(info, "used_memory") - number(info, "mem_clients_normal"));
    }

    private static long number(String info, String name) {
        Matcher line =
                Pattern.compile("^" + name + ":([0-9]+)", Pattern.MULTILINE).matcher(info);
        if (!line.find()) {
            throw new IllegalArgumentException("INFO does not contain " + name);
        }
        return Long.parseLong(line.group(1));
    }

    /** {@return the growth since an earlier reading, in MiB} */
    public double mebibytesSince(RedisMemory earlier) {
        return (bytes - earlier.bytes) / BYTES_PER_MEBIBYTE;
    }
}
