package io.stampedeguard.redis;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.providers.ClusterConnectionProvider;

/**
 * The masters of a cluster that have slots. What Jedis knows of them it learns from commands that are redirected or
 * fail, and who only listens sends none. So any member is asked, each time another one, as Jedis chooses. Where that is
 * news to Jedis, it is made to learn it, by a command that will be redirected. <em>Thread-safe.</em>
 */
final class ClusterMasters implements ChangeServers {
    private final UnifiedJedis client;
    private final ClusterConnectionProvider cluster;
    private final RedisKeys keys;

    ClusterMasters(UnifiedJedis client, ClusterConnectionProvider cluster, RedisKeys keys) {
        this.client = client;
        this.cluster = cluster;
        this.keys = keys;
    }

    @Override
    public Set<?> places(String cache) {
        List<SlotRange> ranges = SlotRange.ask(client);
        if (ranges.isEmpty()) {
            throw new JedisException("the cluster has no master yet");
        }
        for (SlotRange range : ranges) {
            if (!cluster.getNodes().containsKey(range.address())) {
                client.get(keyIn(range, cache));
            }
        }
        return ranges.stream().map(SlotRange::address).collect(Collectors.toSet());
    }

    /** Finds some key of the cache's in the slots: of another one, Redis might refuse to say anything. */
    private byte[] keyIn(SlotRange slots, String cache) {
        int number = 0;
        byte[] key = keys.value(cache + ":");
        while (!slots.has(key)) {
            key = keys.value(cache + ":" + number++);
        }
        return key;
    }

    @Override
    public Connection open(Object place) {
        ConnectionPool pool = cluster.getNodes().get(place.toString());
        if (pool == null) {
            throw new JedisException("Jedis does not know " + place + " yet");
        }
        return ChangeServers.beside(pool);
    }
}
