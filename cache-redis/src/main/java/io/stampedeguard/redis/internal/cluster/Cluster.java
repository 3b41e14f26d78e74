package io.stampedeguard.redis.internal.cluster;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.redis.internal.connect.Breakers;
import io.stampedeguard.redis.internal.connect.ClientConnections;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.connect.ServerBreaker;
import io.stampedeguard.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.providers.ClusterConnectionProvider;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * The known state of a cluster: which slots are at the same master, and which masters answer. A master is identified by its
 * node ID, since the member that was queried may not know its address. The client knows the address, and lends a connection by
 * slot. Slots are queried when they are first needed, and again after {@link #forgetSlots}. <em>Thread-safe.</em>
 */
public final class Cluster {
    /** The master of a slot while it is unknown, or there is none. */
    static final String UNKNOWN = "";

    public static final int SLOTS = 16_384;

    private final UnifiedJedis client;
    private final ClusterConnectionProvider provider;
    private final Breakers breakers;
    private final TimeSource time;
    private final Set<String> asked = ConcurrentHashMap.newKeySet();
    private volatile @Nullable SlotTable slots;

    /** The master of each slot, the ranges as a master has returned them, and a key of each master. */
    private record SlotTable(List<SlotRange> ranges, String[] masters, Map<String, byte[]> keys) {}

    /** Creates what is known at first: nothing. */
    public Cluster(UnifiedJedis client, ClusterConnectionProvider provider, Breakers breakers, TimeSource time) {
        this.client = client;
        this.provider = provider;
        this.breakers = breakers;
        this.time = time;
    }

    public static int slot(byte[] key) {
        return JedisClusterCRC16.getSlot(key);
    }

    /**
     * Borrows a connection to the master of a key. Blocks; throws what Jedis throws, and a {@link JedisConnectionException} if no
     * connection can be made, also because of what a credentials provider throws.
     */
    public Connection connection(byte[] key) {
        try {
            return provider.getConnectionFromSlot(slot(key));
        } catch (JedisConnectionException | JedisDataException failure) {
            throw failure;
        } catch (JedisException failure) {
            throw RedisFailure.isOfServer(failure) ? new JedisConnectionException(failure) : failure;
        } catch (Error thrown) {
            throw RedisFailure.ofUserCode(thrown);
        }
    }

    /**
     * Returns the address of the master of a slot. Blocks if the client has to look for it; throws what Jedis throws. Before
     * Jedis 8, a connection has no method for its address.
     */
    public HostAndPort address(int slot) {
        HostAndPort known = knownAddress(slot);
        if (known == null) {
            provider.renewSlotCache();
            known = knownAddress(slot);
        }
        if (known == null) {
            throw new JedisConnectionException("slot " + slot + " has no master");
        }
        return known;
    }

    /** Returns the address of the master of a slot as far as the client knows it, {@code null} if it does not. */
    public @Nullable HostAndPort knownAddress(int slot) {
        return provider.getNode(slot);
    }

    /** Returns the pool of each member that the client knows, by its address. */
    public Map<String, ConnectionPool> pools() {
        return provider.getNodes();
    }

    /** Returns the pool of a member; throws a {@link JedisException} if the client does not know it yet. */
    public ConnectionPool pool(Object address) {
        ConnectionPool pool = pools().get(address.toString());
        if (pool == null) {
            throw new JedisException("Jedis does not know " + address + " yet");
        }
        return pool;
    }

    /** Returns the circuit breaker of a master that has a key; {@code null} for an unknown one. */
    @Nullable
    public ServerBreaker breaker(String master, byte[] key) {
        if (master.isEmpty()) {
            return null;
        }
        ServerBreaker known = breakers.of(master);
        return known == null
                ? breakers.of(
                        master,
                        " (master " + KeyEncoder.printable(master) + ")",
                        sending -> pingNanos(master, key, sending))
                : known;
    }

    /** Returns the circuit breaker of the master with an address; {@code null} if it is not known. */
    @Nullable
    public ServerBreaker breakerAt(String address) {
        SlotTable known = slots;
        if (known == null) {
            return null;
        }
        for (SlotRange range : known.ranges) {
            if (range.address().equals(address)) {
                return breaker(range.master(), requireNonNull(known.keys.get(range.master())));
            }
        }
        return null;
    }

    /**
     * Slots move: the PING is sent for a key that the master has now; if it has none any more, to its successor, whose answer
     * closes a circuit breaker that nobody uses. Without an answer, another one is sent to where the client finds the master, or its
     * successor, after a new query.
     */
    private long pingNanos(String master, byte[] key, Runnable sending) {
        SlotTable known = slots;
        byte[] own = known == null ? key : known.keys.getOrDefault(master, key);
        try {
            return pingNanos(own, sending);
        } catch (JedisConnectionException failure) {
            if (!looksAgain()) {
                throw failure;
            }
            return pingNanos(own, () -> {}); // who waits for an answer has waited since the first one was sent
        }
    }

    private long pingNanos(byte[] key, Runnable sending) {
        return ClientConnections.pingNanos(knownPool(key), () -> connection(key), time, sending);
    }

    /** Closes the idle connections to the master of a key, so that the next command finds none that is broken; opens no new ones. */
    public void closeIdle(byte[] key) {
        ConnectionPool pool = knownPool(key);
        if (pool != null) {
            pool.clear();
        }
    }

    private @Nullable ConnectionPool knownPool(byte[] key) {
        HostAndPort address = knownAddress(slot(key));
        return address == null ? null : pools().get(address.toString());
    }

    /** Returns the master of a key, or {@link #UNKNOWN}. Sends nothing. */
    public String knownMaster(byte[] key) {
        SlotTable known = slots;
        return known == null ? UNKNOWN : known.masters[slot(key)];
    }

    /** Groups keys by their masters, as far as known. Masters that do not answer come last. Sends nothing. */
    public List<List<String>> groups(Collection<String> keys, Function<String, byte[]> redisKey) {
        Map<String, List<String>> byMaster = new LinkedHashMap<>();
        keys.forEach(key -> byMaster.computeIfAbsent(knownMaster(redisKey.apply(key)), each -> new ArrayList<>())
                .add(key));
        return inOrder(byMaster.keySet()).stream().map(byMaster::get).toList();
    }

    /** Moves masters that are to be used last to the end; the order is otherwise unchanged. */
    private List<String> inOrder(Collection<String> masters) {
        List<String> ordered = new ArrayList<>(masters);
        List<String> last = masters.stream().filter(this::isLast).toList();
        ordered.sort(Comparator.comparing(last::contains));
        return ordered;
    }

    private boolean isLast(String master) {
        ServerBreaker breaker = breakers.of(master);
        return breaker != null && breaker.isLast();
    }

    /** Returns the master of each slot. Blocks if it has to be queried; throws what Jedis throws. */
    public String[] masters() {
        SlotTable known = slots;
        return known == null ? asked().masters : known.masters;
    }

    /** Queries the masters of all slots. Blocks; throws what Jedis throws. */
    public List<SlotRange> ranges() {
        return asked().ranges;
    }

    private SlotTable asked() {
        List<SlotRange> ranges = SlotRange.in(ask(new CommandArguments(Protocol.Command.CLUSTER).add("SLOTS")));
        SlotTable known = slots;
        if (known == null || !known.ranges.equals(ranges)) {
            known = table(ranges);
            slots = known;
        }
        return known;
    }

    private static SlotTable table(List<SlotRange> ranges) {
        String[] masters = new String[SLOTS];
        Arrays.fill(masters, UNKNOWN);
        Map<String, byte[]> keys = new LinkedHashMap<>();
        for (SlotRange range : ranges) {
            Arrays.fill(masters, range.first(), range.last() + 1, range.master());
            keys.computeIfAbsent(
                    range.master(),
                    master -> range.keyIn(number -> Integer.toString(number).getBytes(StandardCharsets.US_ASCII)));
        }
        return new SlotTable(ranges, masters, keys);
    }

    public void forgetSlots() {
        slots = null;
    }

    /**
     * Sends any master a command without keys: another one each time, and last those that are being queried or do not answer.
     * Blocks; throws what Jedis throws.
     */
    public Object ask(CommandArguments question) {
        SlotTable known = slots;
        if (known == null) {
            return askAny(question);
        }
        List<String> masters = new ArrayList<>(known.keys.keySet());
        Collections.shuffle(masters);
        masters.sort(Comparator.comparing(List.copyOf(asked)::contains));
        RuntimeException failure = new JedisConnectionException("the cluster has no master");
        for (String master : inOrder(masters)) {
            try {
                return ask(question, requireNonNull(known.keys.get(master)));
            } catch (JedisDataException refused) {
                throw refused;
            } catch (RuntimeException unanswered) {
                failure = unanswered;
            }
        }
        throw failure;
    }

    /** Before Jedis 8, the replacement of this method takes no arguments except those of the client. */
    @SuppressWarnings("deprecation")
    private Object askAny(CommandArguments question) {
        List<byte[]> words = new ArrayList<>();
        question.forEach(word -> words.add(word.getRaw()));
        try {
            return client.sendCommand(
                    question.getCommand(), words.stream().skip(1).toArray(byte[][]::new));
        } catch (Error thrown) {
            throw RedisFailure.ofUserCode(thrown);
        }
    }

    /** Sends the master of a key a command without keys. Blocks; throws what Jedis throws. */
    public Object ask(CommandArguments question, byte[] key) {
        String master = knownMaster(key);
        ServerBreaker breaker = breaker(master, key);
        long sentNanos = time.monotonicNanos();
        asked.add(master);
        try (Connection connection = connection(key)) {
            return connection.executeCommand(question);
        } catch (RuntimeException failure) {
            if (RedisFailure.brokenAtOnce(failure)) {
                closeIdle(key);
            } else if (breaker != null) {
                breaker.failed(sentNanos, failure);
            }
            throw failure;
        } finally {
            asked.remove(master);
        }
    }

    /** Waits up to half a second until the master of a key, which has not answered, is found; returns whether it may be asked. */
    public boolean awaitMaster(byte[] key) {
        ServerBreaker breaker = breaker(knownMaster(key), key);
        return breaker == null || breaker.awaitAnswer();
    }

    private boolean looksAgain() {
        try {
            provider.renewSlotCache();
            return true;
        } catch (RuntimeException unanswered) {
            return false;
        } catch (Error thrown) {
            RedisFailure.ofUserCode(thrown); // unless it is fatal
            return false;
        }
    }

    /**
     * A range of slots of one master, as a member of the cluster reports it; the {@code address}, in the form of Jedis, is
     * unusable if that member did not know it.
     */
    public record SlotRange(int first, int last, String master, String address) {
        /** Reads the answer to {@code CLUSTER SLOTS}. */
        static List<SlotRange> in(Object answer) {
            return ((List<?>) answer).stream().map(each -> of((List<?>) each)).toList();
        }

        private static SlotRange of(List<?> range) {
            List<?> master = (List<?>) range.get(2);
            return new SlotRange(
                    number(range.get(0)),
                    number(range.get(1)),
                    text(master.get(2)),
                    text(master.get(0)) + ":" + master.get(1));
        }

        /** Returns the first of some keys that is in these slots; there must be one. */
        public byte[] keyIn(IntFunction<byte[]> keys) {
            int number = 0;
            byte[] key = keys.apply(number);
            while (!has(key)) {
                key = keys.apply(++number);
            }
            return key;
        }

        private boolean has(byte[] key) {
            int slot = Cluster.slot(key);
            return slot >= first && slot <= last;
        }

        private static int number(Object answer) {
            return ((Long) answer).intValue();
        }

        private static String text(@Nullable Object answer) {
            return answer == null ? "" : new String((byte[]) answer, StandardCharsets.UTF_8);
        }
    }
}
