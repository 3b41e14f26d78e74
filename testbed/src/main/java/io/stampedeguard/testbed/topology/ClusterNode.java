package io.stampedeguard.testbed.topology;

import io.stampedeguard.testbed.RedisProcess;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.params.MigrateParams;

/** A server process as a member of a cluster. */
record ClusterNode(RedisProcess server) {
    private static final int NOBODY = 0;
    private static final int KEYS_AT_ONCE = 100;
    private static final int MIGRATE_TIMEOUT_MILLIS = 5_000;

    private <T> T ask(Function<Jedis, T> question) {
        return Servers.ask(server, question);
    }

    String id() {
        return ask(Jedis::clusterMyId);
    }

    void meet(ClusterNode other) {
        ask(jedis -> jedis.sendCommand(
                Protocol.Command.CLUSTER,
                "MEET",
                other.server.host(),
                Integer.toString(other.server.port()),
                Integer.toString(other.server.portOf("--cluster-port"))));
    }

    /** The epochs differ from the beginning, so that the masters need not resolve a conflict. */
    void setEpoch(int epoch) {
        ask(jedis -> jedis.clusterSetConfigEpoch(epoch));
    }

    void serve(int firstSlot, int lastSlot) {
        ask(jedis -> jedis.clusterAddSlotsRange(firstSlot, lastSlot));
    }

    void replicate(String masterId) {
        ask(jedis -> jedis.clusterReplicate(masterId));
    }

    boolean knows(int nodes) {
        return ask(Jedis::clusterInfo).contains("cluster_known_nodes:" + nodes + "\r")
                && !ask(Jedis::clusterNodes).contains("handshake");
    }

    /** Returns the configuration epoch of a node, as this node knows it: the seventh word of its line. */
    String epochOf(String id) {
        return ask(Jedis::clusterNodes)
                .lines()
                .filter(line -> line.startsWith(id))
                .map(line -> line.split(" ", -1)[6])
                .findFirst()
                .orElse("unknown");
    }

    boolean isUp() {
        return ask(Jedis::clusterInfo).contains("cluster_state:ok");
    }

    /** Returns the port of the master of each slot, as this node sees it; 0 if the slot has no master. */
    int[] view() {
        int[] ports = new int[Protocol.CLUSTER_HASHSLOTS];
        Arrays.fill(ports, NOBODY);
        for (Object answered : (List<?>) ask(jedis -> jedis.sendCommand(Protocol.Command.CLUSTER, "SLOTS"))) {
            List<?> range = (List<?>) answered;
            List<?> master = (List<?>) range.get(2);
            Arrays.fill(ports, number(range.get(0)), number(range.get(1)) + 1, number(master.get(1)));
        }
        return ports;
    }

    private static int number(Object answered) {
        return Math.toIntExact((Long) answered);
    }

    void importFrom(ClusterNode source, int slot) {
        ask(jedis -> jedis.clusterSetSlotImporting(slot, source.id()));
    }

    void migrateTo(ClusterNode target, int slot) {
        ask(jedis -> jedis.clusterSetSlotMigrating(slot, target.id()));
    }

    void assign(int slot, String masterId) {
        ask(jedis -> jedis.clusterSetSlotNode(slot, masterId));
    }

    /** Moves some keys of a slot; returns whether there were any. */
    boolean moveKeys(int slot, ClusterNode target) {
        List<byte[]> keys = ask(jedis -> jedis.clusterGetKeysInSlotBinary(slot, KEYS_AT_ONCE));
        if (keys.isEmpty()) {
            return false;
        }
        ask(jedis -> jedis.migrate(
                target.server.host(),
                target.server.port(),
                0,
                MIGRATE_TIMEOUT_MILLIS,
                MigrateParams.migrateParams(),
                keys.toArray(byte[][]::new)));
        return true;
    }
}
