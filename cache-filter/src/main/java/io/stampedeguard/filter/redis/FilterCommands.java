package io.stampedeguard.filter.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.filter.internal.BlockedBloom;
import io.stampedeguard.filter.internal.BloomShape;
import io.stampedeguard.filter.redis.FilterGeneration.FilterDesign;
import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.command.Script;
import io.stampedeguard.redis.internal.parts.StoreParts;
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
    private static final Script LOOK = script("look");
    private static final Script ADD = script("add");
    private static final Script READ = script("read");
    private static final Script RANK = script("rank");
    private static final Script BEGIN = script("begin");
    private static final Script FILL = script("fill");
    private static final Script COMMIT = script("commit");
    private static final int BITS_WITHIN_PARTITION = 27;

    private final String name;
    private final HashIdentity hash;
    private final StoreParts store;
    private final List<List<byte[]>> partitions = new ArrayList<>();

    FilterCommands(String name, HashIdentity hash, StoreParts store) {
        this.name = name;
        this.hash = hash;
        this.store = store;
        for (int i = 0; i < BloomShape.PARTITIONS; i++) {
            partitions.add(List.of(
                    store.filterKey(name, i, "state"), store.filterKey(name, i, "a"), store.filterKey(name, i, "b")));
        }
    }

    private static Script script(String name) {
        return Script.load(file -> FilterCommands.class.getResourceAsStream(file), name);
    }

    String name() {
        return name;
    }

    /** Returns the identity of the hash of this process. */
    HashIdentity hash() {
        return hash;
    }

    boolean areOnCluster() {
        return store.isOnCluster();
    }

    Object send(String notDone, Script.Call call) {
        return store.change(notDone + " filter", name, call);
    }

    /** Sends many calls, like {@link StoreParts#changeMany}. */
    <A> Map<Integer, A> sendAll(
            String notDone, Map<Integer, Script.Call> calls, Function<Object, A> meaning, Needed needed) {
        return store.changeMany(notDone + " filter " + KeyEncoder.shown(name), calls, meaning, needed);
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

    /** Returns a rank for a generation that is to begin. */
    Script.Call rank(int partition) {
        return RANK.call(partitions.get(partition).subList(0, 1));
    }

    /** Begins a generation, and returns when, which {@code renew}, {@code fill}, and {@code commit} repeat. */
    Script.Call begin(int partition, byte[] id, FilterDesign design, Duration ttl, long rank) {
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

    Script.Call renew(int partition, byte[] id, byte[] begun, Duration ttl) {
        return FILL.call(withUpload(partition, id), id, begun, text(ttl.toMillis()));
    }

    Script.Call fill(int partition, byte[] id, byte[] begun, Duration ttl, int offset, byte[] bytes) {
        return FILL.call(withUpload(partition, id), id, begun, text(ttl.toMillis()), text(offset), bytes);
    }

    Script.Call commit(int partition, byte[] id, byte[] begun, long bitsSet) {
        return COMMIT.call(withUpload(partition, id), id, begun, text(bitsSet));
    }

    /** The upload belongs to one rebuild only: the remains of another one must not interfere. */
    private List<byte[]> withUpload(int partition, byte[] id) {
        List<byte[]> all = new ArrayList<>(partitions.get(partition));
        all.add(store.filterKey(name, partition, "upload:" + new String(id, US_ASCII)));
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

    /** The answer of {@code look.lua} to a lookup, and of {@code begin.lua}, which begins alike. <em>Immutable.</em> */
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

        /** Returns the text of the server, escaped, which says why it does not report its identity. */
        String reason() {
            return KeyEncoder.printable(new String(bytes(1), UTF_8));
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

        long status() {
            return (Long) answer.get(0);
        }

        String text(int at) {
            return new String(bytes(at), US_ASCII);
        }

        private byte[] bytes(int at) {
            return (byte[]) answer.get(at);
        }
    }
}
