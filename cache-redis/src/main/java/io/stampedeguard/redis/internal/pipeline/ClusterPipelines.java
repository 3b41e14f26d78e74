package io.stampedeguard.redis.internal.pipeline;

import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.time.TimeSource;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import redis.clients.jedis.CommandArguments;

/**
 * The pipelines of a cluster: the commands are grouped by the master of their slot, and a {@link ClusterRound} sends each
 * master its share. The failure of a master fails its own share only.
 *
 * <p>The pipeline of Jedis needs threads for this, does not report what failed, and leaves connections to two threads at once
 * when its caller is interrupted. <em>Thread-safe.</em>
 */
final class ClusterPipelines implements Pipelines {
    private final Cluster cluster;
    private final RoundWatch rounds;

    ClusterPipelines(Cluster cluster, BackgroundThreads threads, TimeSource time) {
        this.cluster = cluster;
        this.rounds = new RoundWatch(threads, time);
    }

    @Override
    public Cluster cluster() {
        return cluster;
    }

    @Override
    public List<Reply> send(List<CommandArguments> commands) {
        Collection<MasterShare> shares;
        try {
            shares = shares(commands);
        } catch (RuntimeException unknown) {
            return Collections.nCopies(commands.size(), Reply.failed(unknown));
        }
        ClusterRound round = new ClusterRound(cluster, cluster.silent().last(shares, MasterShare::master));
        rounds.begin(round);
        try {
            return round.run(commands.size());
        } finally {
            rounds.end(round);
        }
    }

    private Collection<MasterShare> shares(List<CommandArguments> commands) {
        String[] masters = cluster.masters();
        Map<String, MasterShare> shares = new TreeMap<>();
        for (int place = 0; place < commands.size(); place++) {
            CommandArguments command = commands.get(place);
            byte[] key = (byte[]) command.getKeys().get(0);
            shares.computeIfAbsent(masters[Cluster.slot(key)], master -> new MasterShare(cluster, master, key))
                    .add(place, command);
        }
        return shares.values();
    }
}
