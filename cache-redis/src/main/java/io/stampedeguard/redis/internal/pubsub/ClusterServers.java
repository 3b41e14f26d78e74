package io.stampedeguard.redis.internal.pubsub;

import io.stampedeguard.redis.internal.cluster.Cluster;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The masters of a cluster, each of which publishes on the channels of its own slots. Jedis knows the master of a slot; its
 * last answer is kept here, so that most watches need not borrow a connection for it. If a slot has moved, a command makes
 * Jedis look again, since it learns from commands that are redirected or fail. <em>Thread-safe.</em>
 */
final class ClusterServers implements NoticeServers {
    private static final int SLOTS = 16_384;

    private final AtomicReferenceArray<@Nullable HostAndPort> masters = new AtomicReferenceArray<>(SLOTS);
    private final Set<Integer> doubtful = ConcurrentHashMap.newKeySet();
    private final UnifiedJedis client;
    private final Cluster cluster;

    ClusterServers(UnifiedJedis client, Cluster cluster) {
        this.client = client;
        this.cluster = cluster;
    }

    @Override
    public NoticeConnection open(String channel) {
        int slot = slot(channel);
        if (doubtful.contains(slot)) {
            lookAgain(channel);
            doubtful.remove(slot);
        }
        HostAndPort master = cluster.address(slot);
        masters.set(slot, master);
        ConnectionPool pool = cluster.pools().get(master.toString());
        if (pool == null) {
            throw new JedisException("Jedis does not know " + master + " yet");
        }
        return new NoticeConnection(master, OneServer.spared(pool));
    }

    private void lookAgain(String channel) {
        try {
            client.get(bytes(channel));
        } catch (JedisDataException notAString) {
            // The right server has answered.
        }
    }

    @Override
    public @Nullable Object placeOf(String channel) {
        return masters.get(slot(channel));
    }

    @Override
    public Object groupOf(String channel) {
        return cluster.knownMaster(bytes(channel));
    }

    @Override
    public void forget(String channel) {
        forget(slot(channel));
    }

    @Override
    public void forgetAt(Object place) {
        for (int slot = 0; slot < SLOTS; slot++) {
            if (place.equals(masters.get(slot))) {
                forget(slot);
            }
        }
    }

    private void forget(int slot) {
        masters.set(slot, null);
        doubtful.add(slot);
    }

    @Override
    public boolean isSharded() {
        return true;
    }

    private static int slot(String channel) {
        return Cluster.slot(bytes(channel));
    }

    private static byte[] bytes(String channel) {
        return channel.getBytes(StandardCharsets.ISO_8859_1);
    }
}
