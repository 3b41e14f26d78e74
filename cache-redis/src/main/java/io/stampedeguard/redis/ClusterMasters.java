package io.stampedeguard.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * The masters of a cluster that have slots. What Jedis knows of them it learns from commands that are redirected or
 * fail, and who only listens sends none. So any member is asked, each time another one, as Jedis chooses. Where that is
 * news to Jedis, it is made to learn it, by a command that will be redirected. <em>Thread-safe.</em>
 */
final class ClusterMasters implements ChangeServers {
    private final RedisClusterClient client;
    private final RedisKeys keys;

    ClusterMasters(RedisClusterClient client, RedisKeys keys) {
        this.client = client;
        this.keys = keys;
    }

    /** Slots that one master has, from one to another. */
    private record Slots(long first, long last) {
        boolean has(byte[] key) {
            int slot = JedisClusterCRC16.getSlot(key);
            return slot >= first && slot <= last;
        }
    }

    @Override
    public Set<?> places(String cache) {
        Map<String, List<Slots>> masters = masters();
        masters.forEach((master, slots) -> {
            if (!client.getClusterNodes().containsKey(master)) {
                client.get(keyIn(slots.get(0), cache));
            }
        });
        return Set.copyOf(masters.keySet());
    }

    private Map<String, List<Slots>> masters() {
        List<?> answer = (List<?>) client.executeCommand(new CommandArguments(Protocol.Command.CLUSTER).add("SLOTS"));
        Map<String, List<Slots>> masters = new HashMap<>();
        for (Object part : answer) {
            List<?> range = (List<?>) part;
            List<?> master = (List<?>) range.get(2);
            String address = new String((byte[]) master.get(0), StandardCharsets.UTF_8) + ":" + master.get(1);
            masters.computeIfAbsent(address, slots -> new ArrayList<>())
                    .add(new Slots((Long) range.get(0), (Long) range.get(1)));
        }
        if (masters.isEmpty()) {
            throw new JedisException("the cluster has no master yet");
        }
        return masters;
    }

    /** Finds some key of the cache's in the slots: of another one, Redis might refuse to say anything. */
    private byte[] keyIn(Slots slots, String cache) {
        int number = 0;
        byte[] key = keys.value(cache + ":");
        while (!slots.has(key)) {
            key = keys.value(cache + ":" + number++);
        }
        return key;
    }

    @Override
    public Connection open(Object place) {
        ConnectionPool pool = client.getClusterNodes().get(place.toString());
        if (pool == null) {
            throw new JedisException("Jedis does not know " + place + " yet");
        }
        return ChangeServers.beside(pool);
    }
}
