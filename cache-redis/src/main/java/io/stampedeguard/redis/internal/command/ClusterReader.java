package io.stampedeguard.redis.internal.command;

import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.command.EntryReads.EntryTransport;
import io.stampedeguard.redis.internal.command.KeyedCommand.PlainCommand;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.connect.ServerBreaker;
import io.stampedeguard.redis.internal.pipeline.Pipelines.Reply;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
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

    /** Reads different keys; those without an answer are missing, unless all are. */
    Map<String, byte @Nullable []> readEach(Turn turn, Collection<String> names, byte[][] keys) {
        Iterator<Reply> replies = sender.sendEach(
                        turn, () -> Stream.of(keys).map(PlainCommand::entry).toList(), Needed.ANY)
                .iterator();
        Map<String, byte @Nullable []> entries = new HashMap<>(keys.length * 2);
        for (String name : names) {
            Reply reply = replies.next();
            if (reply.failure() == null) {
                entries.put(name, PlainCommand.entryIn(reply.value()));
            }
        }
        return entries;
    }
}
