package io.stampedeguard.testbed.measure;

import java.util.regex.Pattern;

/**
 * How much processor time a Redis server has used, by its own {@code INFO cpu}. <em>Immutable.</em>
 *
 * @param seconds in the server's own code and in that of the system, of all its threads
 */
public record RedisCpu(double seconds) {
    private static final Pattern USED = Pattern.compile("used_cpu_(?:sys|user):([0-9.]+)");

    /**
     * Reads the answer to {@code INFO cpu}.
     *
     * @param info the answer
     * @return the time it tells
     */
    public static RedisCpu parse(String info) {
        return new RedisCpu(USED.matcher(info)
                .results()
                .mapToDouble(used -> Double.parseDouble(used.group(1)))
                .sum());
    }

    /**
     * Returns what was used since an earlier look.
     *
     * @param earlier the earlier look
     * @return microseconds
     */
    public double microsSince(RedisCpu earlier) {
        return (seconds - earlier.seconds) * 1e6;
    }
}
