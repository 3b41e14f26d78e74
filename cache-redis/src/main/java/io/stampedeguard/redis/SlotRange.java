package io.stampedeguard.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * Slots of a cluster that one master has, from one to another, as any of its members tells.
 *
 * @param master the identity of the master
 * @param address where it is reached, as Jedis names it; of no use if the one that was asked did not know
 */
record SlotRange(int first, int last, String master, String address) {
    /** Asks some member, which Jedis chooses. Blocks; throws what Jedis throws. */
    static List<SlotRange> ask(UnifiedJedis client) {
        Object ranges = client.executeCommand(new CommandArguments(Protocol.Command.CLUSTER).add("SLOTS"));
        return ((List<?>) ranges).stream().map(each -> of((List<?>) each)).toList();
    }

    private static SlotRange of(List<?> range) {
        List<?> master = (List<?>) range.get(2);
        return new SlotRange(
                number(range.get(0)),
                number(range.get(1)),
                text(master.get(2)),
                text(master.get(0)) + ":" + master.get(1));
    }

    boolean has(byte[] key) {
        int slot = JedisClusterCRC16.getSlot(key);
        return slot >= first && slot <= last;
    }

    private static int number(Object answer) {
        return ((Long) answer).intValue();
    }

    private static String text(@Nullable Object answer) {
        return answer == null ? "" : new String((byte[]) answer, StandardCharsets.UTF_8);
    }
}
