package io.stampedeguard.redis.internal.filter;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.stampedeguard.filter.bloom.BlockedBloom;
import io.stampedeguard.filter.bloom.BloomShape;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.command.Script;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The calls of a key filter's scripts, as bytes. Each partition has three Redis keys in one slot, such as {@code
 * {products:filter:07}:state}, {@code :a} and {@code :b}, and while it is rebuilt a fourth, {@code :upload:ID}.
 * <em>Immutable.</em>
 */
final class FilterCalls {
    private static final int BITS_WITHIN_PARTITION = 27;

    private final RedisKeys keys;
    private final String name;
    private final List<List<byte[]>> partitions = new ArrayList<>();

    FilterCalls(RedisKeys keys, String name) {
        this.keys = keys;
        this.name = name;
        for (int i = 0; i < BloomShape.PARTITIONS; i++) {
            partitions.add(
                    List.of(keys.filter(name, i, "state"), keys.filter(name, i, "a"), keys.filter(name, i, "b")));
        }
    }

    Script.Call look(long hash) {
        return new Script.Call(FilterScripts.LOOK, ofKey(hash), List.of(withinPartition(hash)));
    }

    /** Looks at no key in particular. */
    Script.Call look(int partition) {
        return new Script.Call(FilterScripts.LOOK, partitions.get(partition), List.of(text("0")));
    }

    Script.Call add(long hash) {
        List<byte[]> arguments = new ArrayList<>(BloomShape.MOST_BITS_PER_KEY + 1);
        arguments.add(withinPartition(hash));
        for (int position : BlockedBloom.positions(hash, BloomShape.MOST_BITS_PER_KEY)) {
            arguments.add(text(position));
        }
        return new Script.Call(FilterScripts.ADD, ofKey(hash), arguments);
    }

    Script.Call read(int partition, byte[] id, int from, int length) {
        return new Script.Call(
                FilterScripts.READ, partitions.get(partition), List.of(id, text(from), text(from + length - 1)));
    }

    /**
     * Begins a generation.
     *
     * @param rank as the first partition gives it, which is asked with an empty one
     */
    Script.Call begin(int partition, byte[] id, FilterDesign design, Duration ttl, String rank) {
        return new Script.Call(
                FilterScripts.BEGIN,
                partitions.get(partition),
                List.of(
                        id,
                        text(design.shape().blocksPerPartition()),
                        text(design.shape().bitsPerKey()),
                        text(design.expectedKeys()),
                        text(design.rate()),
                        text(ttl.toMillis()),
                        text(rank)));
    }

    Script.Call renew(int partition, byte[] id, Duration ttl) {
        return new Script.Call(FilterScripts.FILL, withUpload(partition, id), List.of(id, text(ttl.toMillis())));
    }

    Script.Call fill(int partition, byte[] id, Duration ttl, int offset, byte[] bytes) {
        return new Script.Call(
                FilterScripts.FILL, withUpload(partition, id), List.of(id, text(ttl.toMillis()), text(offset), bytes));
    }

    Script.Call commit(int partition, byte[] id, long bitsSet) {
        return new Script.Call(FilterScripts.COMMIT, withUpload(partition, id), List.of(id, text(bitsSet)));
    }

    /** Of this rebuild alone: what another one leaves behind must not get between. */
    private List<byte[]> withUpload(int partition, byte[] id) {
        List<byte[]> all = new ArrayList<>(partitions.get(partition));
        all.add(keys.filter(name, partition, "upload:" + new String(id, US_ASCII)));
        return all;
    }

    private List<byte[]> ofKey(long hash) {
        return partitions.get(BlockedBloom.partition(hash));
    }

    /** The bits of the hash that tell the block within its partition, however many there are. */
    private static byte[] withinPartition(long hash) {
        return text((hash >>> Integer.SIZE) & ((1 << BITS_WITHIN_PARTITION) - 1));
    }

    private static byte[] text(Object value) {
        return value.toString().getBytes(US_ASCII);
    }
}
