package io.stampedeguard.testbed.topology;

import io.stampedeguard.testbed.RedisProcess;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import redis.clients.jedis.Jedis;

/**
 * A real Redis Cluster of six server processes on the loopback interface: three masters with a third of the slots each,
 * and a replica of each, which takes over about three seconds after its master was killed. They end with {@link
 * #close()}, and with the JVM as each {@link RedisProcess} does. <em>Thread-safe.</em>
 */
public final class RedisCluster implements AutoCloseable {
    private static final int MASTERS = 3;
    private static final Duration NODE_TIMEOUT = Duration.ofSeconds(2);

    private final Servers servers = new Servers();
    private final Duration nodeTimeout;

    private RedisCluster(Duration nodeTimeout) {
        this.nodeTimeout = nodeTimeout;
    }

    /**
     * Starts the servers, forms a cluster, and waits until all servers agree on it.
     *
     * @return a cluster that serves all slots, each by a master whose replica has caught up
     * @throws IllegalStateException if it does not come up; no server is left
     */
    public static RedisCluster start() {
        return start(NODE_TIMEOUT);
    }

    /**
     * Starts a cluster in which no replica ever takes over, even on a busy machine.
     *
     * @return a cluster as {@link #start()} returns it; the slots of a killed master stay unserved
     * @throws IllegalStateException if it does not come up; no server is left
     */
    public static RedisCluster startWithoutFailover() {
        return start(Duration.ofHours(1));
    }

    private static RedisCluster start(Duration nodeTimeout) {
        RedisCluster cluster = new RedisCluster(nodeTimeout);
        try {
            IntStream.range(0, 2 * MASTERS).forEach(number -> cluster.startNode());
            ClusterFormation.of(
                    cluster.servers.all().stream().map(ClusterNode::new).toList(), MASTERS);
            cluster.awaitAllSlotsServed();
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private void startNode() {
        servers.start(
                "--cluster-enabled",
                "yes",
                "--cluster-port",
                RedisProcess.FREE_PORT,
                "--cluster-node-timeout",
                Long.toString(nodeTimeout.toMillis()),
                "--repl-diskless-sync-delay",
                "0");
    }

    /** {@return all servers that were started, killed ones included} */
    public List<RedisProcess> nodes() {
        return servers.all();
    }

    /** {@return the master of a slot, in the view of a running server; it may have been killed a moment ago} */
    public RedisProcess masterOf(int slot) {
        return servers.at(anyNode().view()[slot]);
    }

    private ClusterNode anyNode() {
        return new ClusterNode(servers.alive().get(0));
    }

    /** Prepares to move a slot to another master. */
    public SlotMigration migration(int slot, RedisProcess target) {
        List<ClusterNode> alive = servers.alive().stream().map(ClusterNode::new).toList();
        return new SlotMigration(slot, new ClusterNode(masterOf(slot)), new ClusterNode(target), alive);
    }

    /**
     * Waits until all running servers agree on the master of each slot, all these masters are running, and all replicas
     * have caught up. This is the state after the start, after a migration, and after a failover.
     */
    public void awaitAllSlotsServed() {
        Patience.until("all slots are served", this::servesAllSlots, this::views);
    }

    private String views() {
        return servers.alive().stream()
                .map(server -> "\nport " + server.port() + " sees:\n" + Servers.ask(server, Jedis::clusterNodes))
                .collect(Collectors.joining());
    }

    private boolean servesAllSlots() {
        List<RedisProcess> alive = servers.alive();
        int[] view = anyNode().view();
        return Arrays.stream(view).distinct().allMatch(port -> isAlive(alive, port))
                && alive.stream().allMatch(server -> agrees(new ClusterNode(server), view))
                && alive.stream().allMatch(Servers::isInSync);
    }

    private static boolean isAlive(List<RedisProcess> alive, int port) {
        return alive.stream().anyMatch(server -> server.port() == port);
    }

    private static boolean agrees(ClusterNode node, int[] view) {
        return node.isUp() && Arrays.equals(node.view(), view);
    }

    /** Kills all servers. Can be called twice. */
    @Override
    public void close() {
        servers.close();
    }
}
