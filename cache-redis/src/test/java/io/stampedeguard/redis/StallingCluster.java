package io.stampedeguard.redis;

import static io.stampedeguard.redis.Topologies.ask;

import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.measure.RedisCommands;
import io.stampedeguard.testbed.topology.RedisCluster;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.DefaultRedisCredentials;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisCredentials;
import redis.clients.jedis.util.JedisClusterCRC16;

/** A cluster of three masters, one of which can stall for any time: no replica replaces it. */
public final class StallingCluster implements AutoCloseable {
    private final RedisCluster cluster = RedisCluster.start();
    private final TreeMap<Integer, RedisProcess> masters = new TreeMap<>();
    private final RedisProcess stalling;

    public StallingCluster() {
        cluster.nodes()
                .forEach(node -> ask(node, admin -> {
                    admin.configSet("cluster-require-full-coverage", "no");
                    return admin.configSet("cluster-replica-no-failover", "yes");
                }));
        IntStream.of(0, 5_461, 10_923).forEach(slot -> masters.put(slot, cluster.masterOf(slot)));
        stalling = masters.firstEntry().getValue();
    }

    /** Creates a client with a timeout for a connection and for an answer. */
    public RedisClusterClient client(Duration timeout, int connections) {
        return client(timeout, connections, () -> new DefaultRedisCredentials(null, (CharSequence) null));
    }

    /** The same with credentials, which each new connection asks for. */
    RedisClusterClient client(Duration timeout, int connections, Supplier<RedisCredentials> credentials) {
        GenericObjectPoolConfig<Connection> pool = new GenericObjectPoolConfig<>();
        pool.setMaxTotal(connections);
        pool.setMaxIdle(connections);
        pool.setMaxWait(timeout);
        pool.setJmxEnabled(false);
        Set<HostAndPort> nodes = new HashSet<>();
        masters.values().forEach(node -> nodes.add(new HostAndPort(node.host(), node.port())));
        return RedisClusterClient.builder()
                .nodes(nodes)
                .clientConfig(DefaultJedisClientConfig.builder()
                        .resp2()
                        .credentialsProvider(credentials::get)
                        .connectionTimeoutMillis((int) timeout.toMillis())
                        .socketTimeoutMillis((int) timeout.toMillis())
                        .build())
                .poolConfig(pool)
                .maxTotalRetriesDuration(timeout.multipliedBy(3))
                .build();
    }

    /** Moves the slot of a key of the master that can stall to another one. */
    void moveAway(String key) {
        int slot = JedisClusterCRC16.getSlot(new RedisKeys("").value(key));
        cluster.migration(slot, others().get(0)).run();
    }

    /** Returns the master that can stall. */
    public RedisProcess stalling() {
        return stalling;
    }

    List<RedisProcess> all() {
        return List.copyOf(masters.values());
    }

    List<RedisProcess> others() {
        return masters.values().stream().filter(master -> master != stalling).toList();
    }

    RedisProcess masterOf(String key) {
        return masterOf(new RedisKeys("").value(key));
    }

    public RedisProcess masterOf(byte[] redisKey) {
        return masters.floorEntry(JedisClusterCRC16.getSlot(redisKey)).getValue();
    }

    boolean isStalling(String key) {
        return masterOf(key) == stalling;
    }

    /** Returns a number of keys of each master, alternating between the first, the second, and the third. */
    List<String> keys(String cache, int ofEach) {
        List<List<String>> byMaster = masters.values().stream()
                .map(master -> IntStream.iterate(0, number -> number + 1)
                        .mapToObj((IntFunction<String>) number -> cache + ":" + number)
                        .filter(key -> masterOf(key) == master)
                        .limit(ofEach)
                        .toList())
                .toList();
        return IntStream.range(0, ofEach)
                .boxed()
                .flatMap(number -> byMaster.stream().map(keys -> keys.get(number)))
                .toList();
    }

    /** Returns how often a command was called on a master. */
    long calls(RedisProcess master, String command) {
        return RedisCommands.parse(ask(master, admin -> admin.info("commandstats")))
                .count(command);
    }

    void resetCalls() {
        masters.values().forEach(master -> ask(master, Jedis::configResetStat));
    }

    /** Returns how many connections of a client to a master are in use. */
    static int inUse(RedisClusterClient client, RedisProcess master) {
        return pools(client).get(master.host() + ":" + master.port()).getNumActive();
    }

    private static Map<String, redis.clients.jedis.ConnectionPool> pools(RedisClusterClient client) {
        return client.getClusterNodes();
    }

    public void stall() {
        stalling.pause();
    }

    public void goOn() {
        stalling.resume();
    }

    @Override
    public void close() {
        stalling.resume();
        cluster.close();
    }
}
