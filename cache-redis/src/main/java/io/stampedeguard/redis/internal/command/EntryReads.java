package io.stampedeguard.redis.internal.command;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.combine.ReadCombiner;
import io.stampedeguard.redis.internal.combine.ReadCombiner.Reader;
import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.command.KeyedCommand.PlainRead;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.connect.LoggerNames;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.connect.ServerBreaker;
import io.stampedeguard.redis.internal.pipeline.Pipelines.Reply;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * The reads of entries: by {@code GET}, or {@code MGET} for many keys; on a cluster by pipelines, so that a master that does not
 * answer does not fail the others. Those of concurrent callers are combined, on a cluster for each master. A cluster behind one
 * address, for which the client takes it for a single server, refuses commands for keys of several slots: once that is known, each
 * key is read by its own command of a pipeline. <em>Thread-safe.</em> Throws what Jedis throws.
 */
final class EntryReads {
    private final CommandSender sender;
    private final @Nullable Cluster cluster;
    private final TimeSource time;
    private final ServerReader server;
    private final Reader reader;
    private final @Nullable ReadCombiner ofServer;
    private final @Nullable Map<String, ReadCombiner> ofMasters;

    EntryReads(CommandSender sender, boolean combined, String where, TimeSource time) {
        this.sender = sender;
        this.cluster = sender.cluster();
        this.time = time;
        this.server = new ServerReader(sender, where);
        this.reader = cluster == null ? server : new ClusterReader(sender, cluster);
        this.ofServer = combined && cluster == null ? new ReadCombiner(reader, time) : null;
        this.ofMasters = combined && cluster != null ? new ConcurrentHashMap<>() : null;
    }

    /** Notes that the server is in cluster mode, which a client of a cluster knows. */
    void foundCluster() {
        if (cluster == null) {
            server.foundCluster();
        }
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
                ? new RepliesByKey(names, sender.send(turn, jedis -> server.values(jedis, keys)))
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

    /** Reads from a single server, or from a cluster behind one address. */
    private static final class ServerReader implements Reader {
        private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.STORE);

        private final CommandSender sender;
        private final String where;
        private final AtomicBoolean isCluster = new AtomicBoolean();

        ServerReader(CommandSender sender, String where) {
            this.sender = sender;
            this.where = where;
        }

        void foundCluster() {
            if (isCluster.compareAndSet(false, true)) {
                LOG.warn(
                        "Redis{} is a cluster behind one address: each key is read by a command of its own, since those of one"
                                + " command must be in one slot; a RedisClusterClient may reach its masters directly",
                        where);
            }
        }

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
            List<byte @Nullable []> values = sender.sendChosen(turn, () -> {
                byte[][] keys = chosen.get();
                return jedis -> values(jedis, keys);
            });
            List<Reply> replies = new ArrayList<>(values.size());
            values.forEach(value -> replies.add(Reply.of(value)));
            return replies;
        }

        /** Reads different keys, in one round trip. */
        @SuppressWarnings("NullAway") // Jedis does not declare that values may be null
        List<byte @Nullable []> values(UnifiedJedis jedis, byte[][] keys) {
            if (!isCluster.get()) {
                try {
                    return jedis.mget(keys);
                } catch (JedisDataException refused) {
                    if (!RedisFailure.isOfSeveralSlots(refused)) {
                        throw refused;
                    }
                    foundCluster();
                }
            }
            List<byte @Nullable []> values = new ArrayList<>(keys.length);
            sender.answers(Stream.of(keys)
                            .map(key -> PlainRead.entry(key).toSend())
                            .toList())
                    .forEach(answer -> values.add(PlainRead.entryIn(requireNonNull(answer))));
            return values;
        }
    }

    /** Reads from a cluster, several keys by one pipeline to each of their masters. */
    private record ClusterReader(CommandSender sender, Cluster cluster) implements Reader {
        @Override
        public void check(Turn turn, byte[] key) {
            ServerBreaker breaker = cluster.breaker(cluster.knownMaster(key), key);
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
