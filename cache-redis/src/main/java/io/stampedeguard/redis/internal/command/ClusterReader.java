package io.stampedeguard.redis.internal.command;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.command.EntryReads.EntryTransport;
import io.stampedeguard.redis.internal.command.KeyedCommand.PlainRead;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.connect.ServerBreaker;
import io.stampedeguard.redis.internal.pipeline.Pipelines.Reply;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
        return (byte[]) sender.sendOne(turn, PlainRead.value(key));
    }

    @Override
    public List<Reply> sendAll(Turn turn, Supplier<List<byte[]>> chosen) {
        return sender.sendEach(
                turn, () -> chosen.get().stream().map(PlainRead::value).toList(), Needed.ANY);
    }

    /** Reads different keys; those without an answer are missing, unless all are. */
    Map<String, byte @Nullable []> readEach(Turn turn, Collection<String> names, byte[][] keys) {
        Map<String, PlainRead> reads = new HashMap<>(keys.length * 2);
        int at = 0;
        for (String name : names) {
            reads.put(name, PlainRead.entry(keys[at++]));
        }
        Map<String, byte @Nullable []> entries = new HashMap<>(keys.length * 2);
        sender.sendMany(turn, reads, Needed.ANY).forEach((name, reply) -> {
            if (reply.failure() == null) {
                entries.put(name, PlainRead.entryIn(requireNonNull(reply.value())));
            }
        });
        return entries;
    }
}
