package io.stampedeguard.redis.internal.command;

import io.stampedeguard.internal.spi.Marks;
import io.stampedeguard.internal.spi.Marks.Known;
import io.stampedeguard.internal.spi.Marks.OfTag;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.combine.Combiner;
import io.stampedeguard.redis.internal.combine.Combiner.Transport;
import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.command.Generations.Marked;
import io.stampedeguard.redis.internal.command.KeyedCommand.PlainCommand;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.pipeline.Pipelines.Reply;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * The reads of entries: by one {@code MGET}, with the {@linkplain Generations generations} of their caches; on a cluster by
 * pipelines, so that a master that does not answer does not fail the others. Those of concurrent callers are combined, on a cluster
 * for each master. A cluster behind one address, for which the client takes it for a single server, refuses commands for keys of
 * several slots: once that is known, each key is read by its own command of a pipeline. <em>Thread-safe.</em>
 */
final class EntryReads {
    /** Two or four threads would otherwise wait for each other, although processors are idle. */
    private static final int LANES = 4;

    private static final byte[] NEITHER = {};

    private final CommandSender sender;
    private final Generations generations;
    private final Function<RuntimeException, String> where;
    private final @Nullable Cluster cluster;
    private final TimeSource time;
    private final ServerReader server;
    private final EntryTransport reader;
    private final @Nullable Combiner<byte[], byte @Nullable []> ofServer;
    private final @Nullable Map<String, Combiner<byte[], byte @Nullable []>> ofMasters;

    /** Creates it; {@code where} returns where a request failed, for its message. */
    EntryReads(
            CommandSender sender,
            Generations generations,
            boolean combined,
            Function<RuntimeException, String> where,
            TimeSource time) {
        this.sender = sender;
        this.generations = generations;
        this.where = where;
        this.cluster = sender.cluster();
        this.time = time;
        this.server = new ServerReader();
        this.reader = cluster == null ? server : new ClusterReader(sender, cluster);
        this.ofServer = combined && cluster == null ? new Combiner<>(reader, LANES, time) : null;
        this.ofMasters = combined && cluster != null ? new ConcurrentHashMap<>() : null;
    }

    /** Returns the generation of an entry's cache; {@code null} if that has not asked for its marks. */
    private @Nullable Generation of(byte[] value) {
        List<Generation> now = generations.all.get();
        for (int i = 0; i < now.size(); i++) { // on the path of each hit: no iterator
            if (now.get(i).holds(value)) {
                return now.get(i);
            }
        }
        return null;
    }

    /** Returns the generation that is read along with an entry, and told with its lease; {@code null} if none is. */
    @Nullable
    Generation toldWith(byte[] value) {
        return generations.isOfCluster.get() ? null : of(value);
    }

    /**
     * Ensures that this process knows of the changes that come before an answer for an entry. Returns the generation of the entry's
     * cache, {@code null} for none. Throws a {@link StoreException}.
     */
    @Nullable
    Generation await(Turn turn, byte[] value) {
        Generation generation = of(value);
        if (generation != null && generations.isOfCluster.get()) {
            generations.awaitFirstAnswer(generation, turn);
        } else if (generation != null) {
            catchUp(generation);
        }
        return generation;
    }

    /** Ensures that this process knows the tags of whose changes Redis has told. Throws a {@link StoreException}. */
    void catchUp(Generation generation) {
        if (generation.isBehind()) { // seldom
            generations.catchUp(generation);
        }
    }

    /** Reads an entry; throws a {@link StoreException}. */
    byte @Nullable [] read(Turn turn, String name, byte[] key) {
        try {
            Combiner<byte[], byte @Nullable []> combiner = combiner(key);
            return combiner == null ? reader.send(turn, key) : combiner.send(turn, name, key);
        } catch (RuntimeException failure) {
            if (failure instanceof JedisDataException
                    && String.valueOf(failure.getMessage()).startsWith("WRONGTYPE")) {
                return NEITHER;
            }
            throw RedisFailure.toStoreException("read", name, where.apply(failure), failure);
        }
    }

    /** Returns the combiner of a key; {@code null} for none, or if its master is unknown. */
    private @Nullable Combiner<byte[], byte @Nullable []> combiner(byte[] key) {
        if (cluster == null || ofMasters == null) {
            return ofServer;
        }
        String master = cluster.knownMaster(key);
        if (master.isEmpty()) {
            return null;
        }
        Combiner<byte[], byte @Nullable []> known = ofMasters.get(master); // without a lock
        return known == null ? ofMasters.computeIfAbsent(master, each -> new Combiner<>(reader, LANES, time)) : known;
    }

    /** Reads different keys, those without an answer are missing; throws a {@link StoreException} if all are. */
    Map<String, byte @Nullable []> readAll(Turn turn, Collection<String> names, byte[][] keys) {
        try {
            return entries(turn, names, keys);
        } catch (RuntimeException failure) {
            throw RedisFailure.toStoreException("read " + keys.length + " keys", where.apply(failure), failure);
        }
    }

    private Map<String, byte @Nullable []> entries(Turn turn, Collection<String> names, byte[][] keys) {
        Map<String, byte @Nullable []> entries = new HashMap<>(keys.length * 2);
        int at = 0;
        if (cluster != null) {
            List<Reply> replies = sender.sendEach(
                    turn, () -> Stream.of(keys).map(PlainCommand::entry).toList(), Needed.ANY);
            for (String name : names) {
                Reply reply = replies.get(at++);
                if (reply.failure() == null) {
                    entries.put(name, PlainCommand.entryIn(reply.value()));
                }
            }
            return entries;
        }
        List<byte @Nullable []> values = ofServer == null || keys.length > Combiner.MOST_JOINING
                ? sender.send(turn, jedis -> server.values(jedis, keys))
                : ofServer.sendAll(turn, List.copyOf(names), List.of(keys));
        for (String name : names) {
            entries.put(name, values.get(at++));
        }
        return entries;
    }

    /** Reads by key; the answers are the entries. */
    interface EntryTransport extends Transport<byte[], byte @Nullable []> {
        @Override
        default int length(byte[] key, byte @Nullable [] entry) {
            return entry == null ? 0 : entry.length;
        }

        @Override
        default byte @Nullable [] copy(byte @Nullable [] entry) {
            return entry == null ? null : entry.clone();
        }
    }

    /** Reads from a single server, or from a cluster behind one address. */
    private final class ServerReader implements EntryTransport {
        @Override
        public void check(Turn turn, byte[] key) {
            sender.check(turn);
        }

        @Override
        public byte @Nullable [] send(Turn turn, byte[] key) {
            return sender.send(turn, jedis -> value(jedis, key));
        }

        private byte[] value(UnifiedJedis jedis, byte[] key) { // Jedis does not declare that it may be null
            Generation generation = toldWith(key);
            if (generation == null) {
                return jedis.get(key);
            }
            try {
                List<byte[]> values = jedis.mget(key, generation.key);
                generation.learn(values.get(1));
                return values.get(0);
            } catch (JedisDataException refused) {
                foundSeveralSlots(refused);
                return jedis.get(key);
            }
        }

        /** Notes that several keys of a command were refused because they are in several slots; throws any other refusal. */
        private void foundSeveralSlots(JedisDataException refused) {
            if (!RedisFailure.isOfSeveralSlots(refused)) {
                throw refused;
            }
            generations.foundCluster();
        }

        @Override
        public List<Reply> sendAll(Turn turn, Supplier<List<byte[]>> chosen) {
            List<byte @Nullable []> values = sender.sendChosen(turn, () -> {
                byte[][] keys = chosen.get().toArray(byte[][]::new);
                return jedis -> values(jedis, keys);
            });
            List<Reply> replies = new ArrayList<>(values.size());
            values.forEach(value -> replies.add(Reply.of(value)));
            return replies;
        }

        /** Reads different keys, in one round trip. */
        List<byte @Nullable []> values(UnifiedJedis jedis, byte[][] keys) {
            if (!generations.isOfCluster.get()) {
                try {
                    return valuesWithGenerations(jedis, keys);
                } catch (JedisDataException refused) {
                    foundSeveralSlots(refused);
                }
            }
            List<byte @Nullable []> values = new ArrayList<>(keys.length);
            sender.answers(Stream.of(keys)
                            .map(key -> PlainCommand.entry(key).toSend())
                            .toList())
                    .forEach(answer -> values.add(PlainCommand.entryIn(answer)));
            return values;
        }

        /** Reads different keys, and the generations that belong to them, each once. */
        @SuppressWarnings("NullAway") // Jedis does not declare that values may be null
        private List<byte @Nullable []> valuesWithGenerations(UnifiedJedis jedis, byte[][] keys) {
            Set<Generation> read = new LinkedHashSet<>();
            for (byte[] key : keys) {
                Generation generation = of(key);
                if (generation != null) {
                    read.add(generation);
                }
            }
            byte[][] all = Arrays.copyOf(keys, keys.length + read.size());
            int at = keys.length;
            for (Generation each : read) {
                all[at++] = each.key;
            }
            List<byte @Nullable []> values = jedis.mget(all);
            at = keys.length;
            for (Generation each : read) {
                each.learn(values.get(at++));
            }
            return values.subList(0, keys.length);
        }
    }

    /** The generation of one cache, {@code {products:}:gen}, as this process knows it. <em>Thread-safe.</em> */
    static final class Generation {
        /** So long before a failover, a change may not have reached the replica. */
        private static final long FAILOVER_MILLIS = 10_000;

        final String cache;
        private final byte[] start;
        final byte[] key;
        final Marks marks = new Marks();
        private final Consumer<Generation> onLoss;
        /** Whether it was written back a short while ago. */
        final AtomicBoolean isRestoring = new AtomicBoolean();

        final AtomicBoolean isWarned = new AtomicBoolean();
        private volatile @Nullable Question firstQuestion = new Question();
        private final AtomicReference<@Nullable Question> asking = new AtomicReference<>();
        /** The last change of a tag that Redis has told, and the one up to which all marks of tags are known. */
        final AtomicLong told = new AtomicLong();

        final AtomicLong complete = new AtomicLong();
        /** Redis may have lost the marks of tags above this. */
        final AtomicLong lost = new AtomicLong(Long.MAX_VALUE);

        private volatile boolean lacksMarks;
        private volatile Learned last = new Learned(null, Known.NOTHING);

        /** What was stored when so much was known. */
        private record Learned(byte @Nullable [] stored, Known known) {}

        /** A question for what Redis has stored: whether it is over, and why it was not answered. */
        static final class Question {
            final CountDownLatch over = new CountDownLatch(1);
            volatile @Nullable StoreException failure;
        }

        /** Creates the generation of a cache; {@code onLoss} takes it when Redis knows less. */
        Generation(String cache, RedisKeys keys, Consumer<Generation> onLoss) {
            byte[] entry = keys.value(cache + ":");
            this.cache = cache;
            this.start = Arrays.copyOf(entry, entry.length - 1);
            this.key = keys.generation(cache);
            this.onLoss = onLoss;
        }

        boolean holds(byte[] redisKey) {
            return redisKey.length > start.length && Arrays.equals(redisKey, 0, start.length, start, 0, start.length);
        }

        /** Returns the stamp of what begins now; zero for none. */
        @SuppressWarnings("ReferenceEquality") // most caches know of no change, and pay for nothing more
        static long stampOf(@Nullable Generation generation) {
            Known known = generation == null ? Known.NOTHING : generation.marks.known.get();
            return known == Known.NOTHING ? 0 : known.generation();
        }

        /** Returns whether anything was changed since a lease was given its stamp. */
        boolean isRaisedAbove(long stamp) {
            return stamp < marks.known.get().last();
        }

        /** Returns whether all entries were changed since a lease was given its stamp: it has ended. */
        @SuppressWarnings("ReferenceEquality") // as above
        boolean isAbove(long stamp) {
            Known known = marks.known.get();
            return known != Known.NOTHING && stamp < Math.max(known.removed(), known.expired());
        }

        /** Takes what is stored, {@code null} or empty for nothing. On the path of each read: does nothing if that is known. */
        @SuppressWarnings("ReferenceEquality") // as above
        void learn(byte @Nullable [] answer) {
            byte[] stored = answer == null || answer.length == 0 ? null : answer;
            Learned before = last;
            if (before.known == marks.known.get() && Arrays.equals(before.stored, stored)) {
                return;
            }
            Known answered = Generations.parsed(stored);
            if (answered.tagged() < told.getAndAccumulate(answered.tagged(), Math::max)) {
                lost.accumulateAndGet(answered.tagged(), Math::min);
            }
            if (marks.learn(answered) || lacksMarks) {
                onLoss.accept(this);
            }
            Known now = marks.known.get();
            if (answered.equals(now) && !lacksMarks) {
                last = new Learned(stored, now);
            }
        }

        /** Returns what to wait for before anything that a cluster has stored is used; {@code null} if it has answered once. */
        @Nullable
        Question firstQuestion() {
            return firstQuestion;
        }

        /** Notes the end of a question to a cluster; {@code failure} is {@code null} if it was answered. */
        void asked(@Nullable StoreException failure) {
            Question open = firstQuestion;
            if (open != null) {
                firstQuestion = failure == null ? null : open;
                open.failure = failure;
                open.over.countDown();
            }
        }

        /** Takes an answer of {@code mark.lua}: first the marks of tags, so that none is missing once the generation is known. */
        void learn(Marked answer, Script.Call call, long toldBefore) {
            marks.learn(answer.missed());
            if (call.keys().size() > 1) { // with the marks of tags
                complete.accumulateAndGet(Generations.parsed(answer.stored()).tagged(), Math::max);
            }
            learn(answer.stored());
            if (toldBefore > complete.get()) { // Redis has lost a mark of which this process knows not even the tag
                marks.learn(new Known(toldBefore, toldBefore, 0));
            }
            if (answer.lacks()) { // until it is written back, each read notices
                lacksMarks = true;
                last = new Learned(null, Known.NOTHING);
                onLoss.accept(this);
            }
        }

        /** Returns whether Redis has told a change of a tag, and this process does not know of which. */
        boolean isBehind() {
            long last = told.get();
            return last > complete.get() && last > marks.known.get().removed();
        }

        /** Returns the marks of tags that Redis may have lost: those of the last seconds before it told one, and later ones. */
        Map<String, OfTag> perhapsLost() {
            return marks.ofTagsAbove(Math.min(lost.get(), told.get() - FAILOVER_MILLIS));
        }

        /** Notes that what Redis had lost is written back. */
        void writtenBack() {
            lost.set(Long.MAX_VALUE);
            lacksMarks = false;
        }

        /** Begins a question for marks of tags; returns the one of another thread, else {@code null}. */
        @Nullable
        Question begin(Question question) {
            return asking.compareAndExchange(null, question);
        }

        void end(Question question) {
            asking.set(null);
            question.over.countDown();
        }
    }
}
