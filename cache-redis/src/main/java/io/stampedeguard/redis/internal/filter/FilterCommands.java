package io.stampedeguard.redis.internal.filter;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.stampedeguard.codec.KeyText;
import io.stampedeguard.filter.bloom.BlockedBloom;
import io.stampedeguard.filter.bloom.BloomShape;
import io.stampedeguard.redis.internal.command.Commands;
import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.command.Script;
import io.stampedeguard.redis.internal.filter.FilterGeneration.FilterDesign;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The scripts of a key filter, each one atomic step on one partition: creates and sends their calls. Each partition has three
 * Redis keys in one slot, such as {@code {products:filter:07}:state}, {@code :a} and {@code :b}, and a fourth during a rebuild,
 * {@code :upload:ID}. <em>Thread-safe.</em>
 */
final class FilterCommands {
    private static final Script LOOK = Script.load("filter/look");
    private static final Script ADD = Script.load("filter/add");
    private static final Script READ = Script.load("filter/read");
    private static final Script BEGIN = Script.load("filter/begin");
    private static final Script FILL = Script.load("filter/fill");
    private static final Script COMMIT = Script.load("filter/commit");
    private static final int BITS_WITHIN_PARTITION = 27;

    private final String name;
    private final HashIdentity hash;
    private final Commands commands;
    private final RedisKeys keys;
    private final List<List<byte[]>> partitions = new ArrayList<>();

    FilterCommands(String name, HashIdentity hash, Commands commands, RedisKeys keys) {
        this.name = name;
        this.hash = hash;
        this.commands = commands;
        this.keys = keys;
        for (int i = 0; i < BloomShape.PARTITIONS; i++) {
            partitions.add(
                    List.of(keys.filter(name, i, "state"), keys.filter(name, i, "a"), keys.filter(name, i, "b")));
        }
    }

    String name() {
        return name;
    }

    /** Returns the identity of the hash of this process. */
    HashIdentity hash() {
        return hash;
    }

    boolean areOnCluster() {
        return commands.cluster() != null;
    }

    Object send(String notDone, Script.Call call) {
        return commands.change(commands.defaultTurn(), notDone + " filter", name, call, answer -> answer);
    }

    /** Sends many calls, like {@link Commands#changeMany}. */
    <A> Map<Integer, A> sendAll(
            String notDone, Map<Integer, Script.Call> calls, Function<Object, A> meaning, Needed needed) {
        return commands.changeMany(
                commands.defaultTurn(), notDone + " filter " + KeyText.shown(name), calls, meaning, needed);
    }

    Script.Call look(long key) {
        return LOOK.call(ofKey(key), withinPartition(key));
    }

    /** Looks up no key in particular. */
    Script.Call look(int partition) {
        return LOOK.call(partitions.get(partition), text("0"));
    }

    /** {@code key} is the hash of a key. */
    Script.Call add(long key) {
        List<byte[]> arguments = new ArrayList<>(BloomShape.MOST_BITS_PER_KEY + 2);
        arguments.add(withinPartition(key));
        arguments.add(hash.ending());
        for (int position : BlockedBloom.positions(key, BloomShape.MOST_BITS_PER_KEY)) {
            arguments.add(text(position));
        }
        return new Script.Call(ADD, ofKey(key), arguments);
    }

    Script.Call read(int partition, byte[] id, int from, int length) {
        return READ.call(partitions.get(partition), id, text(from), text(from + length - 1));
    }

    /** Begins a generation; {@code rank} is as the first partition returns it, and empty for the first partition. */
    Script.Call begin(int partition, byte[] id, FilterDesign design, Duration ttl, String rank) {
        return BEGIN.call(
                partitions.get(partition),
                id,
                text(design.shape().blocksPerPartition()),
                text(design.shape().bitsPerKey()),
                text(design.expectedKeys()),
                text(design.rate()),
                text(ttl.toMillis()),
                text(rank));
    }

    Script.Call renew(int partition, byte[] id, Duration ttl) {
        return FILL.call(withUpload(partition, id), id, text(ttl.toMillis()));
    }

    Script.Call fill(int partition, byte[] id, Duration ttl, int offset, byte[] bytes) {
        return FILL.call(withUpload(partition, id), id, text(ttl.toMillis()), text(offset), bytes);
    }

    Script.Call commit(int partition, byte[] id, long bitsSet) {
        return COMMIT.call(withUpload(partition, id), id, text(bitsSet));
    }

    /** The upload belongs to one rebuild only: the remains of another one must not interfere. */
    private List<byte[]> withUpload(int partition, byte[] id) {
        List<byte[]> all = new ArrayList<>(partitions.get(partition));
        all.add(keys.filter(name, partition, "upload:" + new String(id, US_ASCII)));
        return all;
    }

    private List<byte[]> ofKey(long key) {
        return partitions.get(BlockedBloom.partition(key));
    }

    /** Returns the bits of the hash that select the block within its partition, however many blocks there are. */
    private static byte[] withinPartition(long key) {
        return text((key >>> Integer.SIZE) & ((1 << BITS_WITHIN_PARTITION) - 1));
    }

    private static byte[] text(Object value) {
        return value.toString().getBytes(US_ASCII);
    }

    /** The answer of {@code look.lua} to a lookup. <em>Immutable.</em> */
    record FilterAnswer(List<?> answer) {
        private static final long UNREPORTED = -1;
        private static final long IN_FORCE = 1;

        static FilterAnswer of(Object answer) {
            return new FilterAnswer((List<?>) answer);
        }

        /** Returns whether the partition has a generation, which can exclude keys. */
        boolean isInForce() {
            return status() == IN_FORCE;
        }

        /** Returns whether the server does not report its identity. */
        boolean isUnreported() {
            return status() == UNREPORTED;
        }

        String reason() {
            return new String(bytes(1), UTF_8);
        }

        byte[] generation() {
            return bytes(1);
        }

        FilterDesign design() {
            int blocks = Integer.parseInt(text(2)) * BloomShape.PARTITIONS;
            return new FilterDesign(
                    new BloomShape(blocks, bitsPerKey()), Long.parseLong(text(4)), Double.parseDouble(text(5)));
        }

        byte[] block() {
            return bytes(6);
        }

        boolean mightContain(long hash) {
            return BlockedBloom.mightContain(block(), hash, bitsPerKey());
        }

        private int bitsPerKey() {
            return Integer.parseInt(text(3));
        }

        private long status() {
            return (Long) answer.get(0);
        }

        private String text(int at) {
            return new String(bytes(at), US_ASCII);
        }

        private byte[] bytes(int at) {
            return (byte[]) answer.get(at);
        }
    }
}
