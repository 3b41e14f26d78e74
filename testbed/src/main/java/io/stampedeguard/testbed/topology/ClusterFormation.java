package io.stampedeguard.testbed.topology;

import java.util.List;
import redis.clients.jedis.Protocol;

/**
 * The formation of a cluster from single servers, as by {@code redis-cli --cluster create}:
 *
 * <ol>
 *   <li>the first ones get an equal part of the slots each, and different epochs;
 *   <li>all are introduced to each other;
 *   <li>once they know each other, the others become replicas of the first ones, in turn.
 * </ol>
 */
final class ClusterFormation {
    private ClusterFormation() {}

    static void of(List<ClusterNode> nodes, int masters) {
        shareSlots(nodes.subList(0, masters));
        for (ClusterNode node : nodes) {
            nodes.stream().filter(other -> !other.equals(node)).forEach(node::meet);
        }
        Patience.until("the servers know each other", () -> nodes.stream().allMatch(node -> node.knows(nodes.size())));
        for (int i = masters; i < nodes.size(); i++) {
            nodes.get(i).replicate(nodes.get(i % masters).id());
        }
        Patience.until(
                "the replicas have caught up",
                () -> nodes.subList(masters, nodes.size()).stream().allMatch(ClusterFormation::isReplica));
    }

    private static void shareSlots(List<ClusterNode> masters) {
        for (int i = 0; i < masters.size(); i++) {
            masters.get(i).setEpoch(i + 1);
            masters.get(i).serve(firstSlot(i, masters.size()), firstSlot(i + 1, masters.size()) - 1);
        }
    }

    private static int firstSlot(int master, int masters) {
        return master * Protocol.CLUSTER_HASHSLOTS / masters;
    }

    private static boolean isReplica(ClusterNode node) {
        return Servers.ask(node.server(), jedis -> jedis.info("replication")).contains("master_link_status:up");
    }
}
