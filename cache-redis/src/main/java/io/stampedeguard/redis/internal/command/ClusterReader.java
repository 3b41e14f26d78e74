package io.stampedeguard.redis.internal.command;

import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.command.EntryReads.EntryTransport;
import io.stampedeguard.redis.internal.command.KeyedCommand.PlainCommand;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.connect.ServerBreaker;
import io.stampedeguard.redis.internal.pipeline.Pipelines.Reply;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads entries from a cluster, several keys by one pipeline to each of their masters. <em>Thread-safe.</em> */
record ClusterReader(CommandSender sender, Cluster cluster) implements EntryTransport {
    @Override
    public void check(Turn turn, byte[] key) {
        ServerBreaker breaker = cluster.breaker(cluster.knownMaster(key), key);
        if (breaker != null) {
            breaker.check();
        }
    }

    @Override
    public byte @Nullable [] send(Turn turn, byte[] key) {
        return (byte[]) sender.sendOne(turn, PlainCommand.value(key));
    }

    @Override
    public List<Reply> sendAll(Turn turn, Supplier<List<byte[]>> chosen) {
        return sender.sendEach(
                turn, () -> chosen.get().stream().map(PlainCommand::value).toList(), Needed.ANY);
    }
}
