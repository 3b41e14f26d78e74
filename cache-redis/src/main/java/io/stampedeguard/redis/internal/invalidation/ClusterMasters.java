package io.stampedeguard.redis.internal.invalidation;

import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.cluster.SlotRange;
import io.stampedeguard.redis.internal.command.RedisKeys;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The masters of a cluster that have slots. Jedis learns about them from commands that are redirected or fail, and a listener
 * sends none. So a member is asked, each time another one. If Jedis does not know a master yet, a command that will be
 * redirected makes it learn it. A part of the keys is a range of slots. <em>Thread-safe.</em>
 */
final class ClusterMasters implements ChangeServers {
    private static final int PARTS = 64;
    private static final int SLOTS_OF_PART = Cluster.SLOTS / PARTS;

    private final UnifiedJedis client;
    private final Cluster cluster;
    private final RedisKeys keys;

    ClusterMasters(UnifiedJedis client, Cluster cluster, RedisKeys keys) {
        this.client = client;
        this.cluster = cluster;
        this.keys = keys;
    }

    @Override
    public int parts() {
        return PARTS;
    }

    @Override
    public int partOf(String key) {
        return Cluster.slot(keys.value(key)) / SLOTS_OF_PART;
    }

    @Override
    public Map<?, BitSet> places(String cache) {
        List<SlotRange> ranges = cluster.ranges();
        if (ranges.isEmpty()) {
            throw new JedisException("the cluster has no master yet");
        }
        Map<String, BitSet> places = new HashMap<>();
        for (SlotRange range : ranges) {
            places.computeIfAbsent(range.address(), each -> new BitSet(PARTS))
                    .set(range.first() / SLOTS_OF_PART, range.last() / SLOTS_OF_PART + 1);
            if (!cluster.pools().containsKey(range.address())) {
                // The permissions may not include keys of another cache.
                client.get(range.keyIn(number -> keys.value(cache + ":" + number)));
            }
        }
        return places;
    }

    @Override
    public Connection open(Object place) {
        ConnectionPool pool = cluster.pools().get(place.toString());
        if (pool == null) {
            throw new JedisException("Jedis does not know " + place + " yet");
        }
        return ChangeServers.beside(pool);
    }
}
