package io.stampedeguard.redis;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * The pipelines of a cluster:
 *
 * <ol>
 *   <li>the commands are sorted by the master of their slot;
 *   <li>each master gets its share in one go, and no answer is read before the last has got its own: all together that is
 *       one round trip;
 *   <li>then the answers are read. A master that fails, fails its own share.
 * </ol>
 *
 * <p>That of Jedis needs threads for it, does not tell what failed, and leaves connections to two threads at once when its
 * caller is interrupted. No thread waits for a connection to one master while it has one that is waited for by a thread
 * that has the other: all take them in the same order. <em>Thread-safe.</em>
 */
final class ClusterPipelines implements Pipelines {
    private final IntFunction<Connection> connections;
    private final ClusterSlots slots;

    /**
     * Makes the pipelines of a client.
     *
     * @param connections borrows a connection to the master of a slot
     */
    ClusterPipelines(UnifiedJedis client, IntFunction<Connection> connections) {
        this.connections = connections;
        this.slots = new ClusterSlots(client);
    }

    @Override
    public boolean areOfCluster() {
        return true;
    }

    @Override
    public void forgetPlaces() {
        slots.forget();
    }

    @Override
    public List<Reply> send(List<CommandArguments> commands) {
        Collection<MasterShare> shares;
        try {
            shares = shares(commands);
        } catch (RuntimeException unknown) {
            return Collections.nCopies(commands.size(), Reply.failed(unknown));
        }
        Reply[] replies = new Reply[commands.size()];
        try {
            shares.forEach(share -> share.send(connections));
            shares.forEach(share -> share.read(replies));
        } finally {
            shares.forEach(MasterShare::close);
        }
        return Arrays.asList(replies);
    }

    /** In the order of the masters' names. */
    private Collection<MasterShare> shares(List<CommandArguments> commands) {
        String[] masters = slots.masters();
        Map<String, MasterShare> shares = new TreeMap<>();
        for (int place = 0; place < commands.size(); place++) {
            CommandArguments command = commands.get(place);
            int slot = JedisClusterCRC16.getSlot((byte[]) command.getKeys().get(0));
            shares.computeIfAbsent(masters[slot], master -> new MasterShare(slot))
                    .add(place, command);
        }
        return shares.values();
    }
}
