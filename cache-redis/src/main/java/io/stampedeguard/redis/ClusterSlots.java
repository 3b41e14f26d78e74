package io.stampedeguard.redis;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.UnifiedJedis;

/**
 * Which slots of a cluster are at the same master, by its identity: its address may be unknown to the member that was asked. Where that master is reached is the
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
        for (SlotRange range : SlotRange.ask(client)) {
            Arrays.fill(answer, range.first(), range.last() + 1, range.master());
        }
        return answer;
    }
}
