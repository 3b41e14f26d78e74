package io.stampedeguard.redis.internal.cluster;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A range of slots of one master, as a member of the cluster reports it.
 *
 * @param master the identity of the master
 * @param address its address in the form of Jedis; unusable if the member that was asked did not know it
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

    /** Returns the first of some keys that is in these slots; there must be one. */
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
