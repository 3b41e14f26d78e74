package io.stampedeguard.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.UnifiedJedis;

/**
 * Which slots of a cluster are at the same master, as any of its members tells. Where that master is reached is the
 * client's affair. Asked for when it is needed first, and again after {@link #forget}. <em>Thread-safe.</em>
 */
final class ClusterSlots {
    private static final int SLOTS = 16_384;
    private static final String NOBODY = "";

    private final UnifiedJedis client;
    private volatile String @Nullable [] masters;

    ClusterSlots(UnifiedJedis client) {
        this.client = client;
    }

    /** Tells the master of each slot; the same name is the same master, and an empty one none. */
    String[] masters() {
        String[] known = masters;
        if (known == null) {
            known = ask();
            masters = known;
        }
        return known;
    }

    void forget() {
        masters = null;
    }

    private String[] ask() {
        String[] answer = new String[SLOTS];
        Arrays.fill(answer, NOBODY);
        Object ranges = client.executeCommand(new CommandArguments(Protocol.Command.CLUSTER).add("SLOTS"));
        for (Object each : (List<?>) ranges) {
            List<?> range = (List<?>) each;
            String master = nameOf((List<?>) range.get(2));
            Arrays.fill(answer, number(range.get(0)), number(range.get(1)) + 1, master);
        }
        return answer;
    }

    /** Its address may be unknown to the one that was asked; its identity is not. */
    private static String nameOf(List<?> master) {
        return new String((byte[]) master.get(2), StandardCharsets.US_ASCII);
    }

    private static int number(Object answer) {
        return ((Long) answer).intValue();
    }
}
