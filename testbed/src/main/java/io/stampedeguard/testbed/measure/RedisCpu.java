package io.stampedeguard.testbed.measure;

import java.util.regex.Pattern;

/**
 * The processor time that a Redis server has used, from its own {@code INFO cpu}. <em>Immutable.</em>
 *
 * @param seconds user and system time of all its threads
 */
public record RedisCpu(double seconds) {
    private static final Pattern USED = Pattern.compile("used_cpu_(?:sys|user):([0-9.]+)");

    /** {@return the time in the answer to {@code INFO cpu}} */
    public static RedisCpu parse(String info) {
        return new RedisCpu(USED.matcher(info)
                .results()
                .mapToDouble(used -> Double.parseDouble(used.group(1)))
                .sum());
    }

    /** {@return the microseconds used since an earlier reading} */
    public double microsSince(RedisCpu earlier) {
        return (seconds - earlier.seconds) * 1e6;
    }
}
