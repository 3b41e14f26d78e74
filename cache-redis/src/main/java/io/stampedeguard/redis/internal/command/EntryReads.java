package io.stampedeguard.redis.internal.command;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.combine.ReadCombiner;
import io.stampedeguard.redis.internal.combine.ReadCombiner.Reader;
import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.command.KeyedCommand.PlainRead;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.connect.StoreBreaker;
import io.stampedeguard.redis.internal.pipeline.Pipelines.Reply;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The reads of entries: by {@code GET}, or {@code MGET} for many keys; on a cluster by pipelines, so that a master that does not
 * answer does not fail the others. Those of concurrent callers are combined, on a cluster for each master. <em>Thread-safe.</em>
 * Throws what Jedis throws.
 */
final class EntryReads {
    private final CommandSender sender;
    private final @Nullable Cluster cluster;
    private final TimeSource time;
    private final Reader reader;
    private final @Nullable ReadCombiner ofServer;
    private final @Nullable Map<String, ReadCombiner> ofMasters;

    EntryReads(CommandSender sender, boolean combined, TimeSource time) {
        this.sender = sender;
        this.cluster = sender.cluster();
        this.time = time;
        this.reader = cluster == null ? new ServerReader(sender) : new ClusterReader(sender, cluster);
        this.ofServer = combined && cluster == null ? new ReadCombiner(reader, time) : null;
        this.ofMasters = combined && cluster != null ? new ConcurrentHashMap<>() : null;
    }

    byte @Nullable [] read(Turn turn, String name, byte[] key) {
        ReadCombiner combiner = combiner(key);
        return combiner == null ? reader.read(turn, key) : combiner.read(turn, name, key);
    }

    /** Returns the combiner of a key; {@code null} for none, or if its master is unknown. */
    private @Nullable ReadCombiner combiner(byte[] key) {
        if (cluster == null || ofMasters == null) {
            return ofServer;
        }
        String master = cluster.knownMaster(key);
        if (master.isEmpty()) {
            return null;
        }
        ReadCombiner known = ofMasters.get(master); // without a lock
        return known == null ? ofMasters.computeIfAbsent(master, each -> new ReadCombiner(reader, time)) : known;
    }

    /** Reads different keys; on a cluster, keys without an answer are missing, unless all are. */
    Map<String, byte @Nullable []> readAll(Turn turn, Collection<String> names, byte[][] keys) {
        if (cluster != null) {
            return readEach(turn, names, keys);
        }
        return ofServer == null || keys.length > ReadCombiner.MOST_JOINING
                ? new RepliesByKey(names, sender.send(turn, jedis -> jedis.mget(keys)))
                : new RepliesByKey(names, ofServer.readAll(turn, names.toArray(String[]::new), keys));
    }

    private Map<String, byte @Nullable []> readEach(Turn turn, Collection<String> names, byte[][] keys) {
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

    /** Reads from a single server. */
    private record ServerReader(CommandSender sender) implements Reader {
        @Override
        public void check(Turn turn, byte[] key) {
            sender.check(turn);
        }

        @Override
        public byte @Nullable [] read(Turn turn, byte[] key) {
            return sender.send(turn, jedis -> jedis.get(key));
        }

        @Override
        public List<Reply> readAll(Turn turn, Supplier<byte[][]> chosen) {
            List<byte[]> values = sender.sendChosen(turn, () -> {
                byte[][] keys = chosen.get();
                return jedis -> jedis.mget(keys);
            });
            List<Reply> replies = new ArrayList<>(values.size());
            values.forEach(value -> replies.add(Reply.of(value)));
            return replies;
        }
    }

    /** Reads from a cluster, several keys by one pipeline to each of their masters. */
    private record ClusterReader(CommandSender sender, Cluster cluster) implements Reader {
        @Override
        public void check(Turn turn, byte[] key) {
            StoreBreaker breaker = cluster.breaker(cluster.knownMaster(key), key);
            if (breaker != null) {
                breaker.check();
            }
        }

        @Override
        public byte @Nullable [] read(Turn turn, byte[] key) {
            return (byte[]) sender.sendOne(turn, PlainRead.value(key));
        }

        @Override
        public List<Reply> readAll(Turn turn, Supplier<byte[][]> chosen) {
            Map<Integer, PlainRead> reads = new LinkedHashMap<>();
            for (byte[] key : chosen.get()) {
                reads.put(reads.size(), PlainRead.value(key));
            }
            Map<Integer, Reply> replies = sender.sendMany(turn, reads, Needed.ANY);
            List<Reply> all = new ArrayList<>(reads.size());
            reads.keySet().forEach(place -> all.add(requireNonNull(replies.get(place))));
            return all;
        }
    }
}
