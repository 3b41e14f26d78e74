package io.stampedeguard.redis.internal.cluster;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Slots of a cluster that one master has, from one to another, as any of its members tells.
 *
 * @param master the identity of the master
 * @param address where it is reached, as Jedis names it; of no use if the one that was asked did not know
 */
public record SlotRange(int first, int last, String master, String address) {
    /** Reads the answer to {@code CLUSTER SLOTS}. */
    static List<SlotRange> in(Object answer) {
        return ((List<?>) answer).stream().map(each -> of((List<?>) each)).toList();
    }

    private static SlotRange of(List<?> range) {
        List<?> master = (List<?>) range.get(2);
        return new SlotRange(
                number(range.get(0)),
                number(range.get(1)),
                text(master.get(2)),
                text(master.get(0)) + ":" + master.get(1));
    }

    /** Returns the first of some keys that is in these slots, which one of them must be. */
    public byte[] keyIn(IntFunction<byte[]> keys) {
        int number = 0;
        byte[] key = keys.apply(number);
        while (!has(key)) {
            key = keys.apply(++number);
        }
        return key;
    }

    private boolean has(byte[] key) {
        int slot = Cluster.slot(key);
        return slot >= first && slot <= last;
    }

    private static int number(Object answer) {
        return ((Long) answer).intValue();
    }

    private static String text(@Nullable Object answer) {
        return answer == null ? "" : new String((byte[]) answer, StandardCharsets.UTF_8);
    }
}
