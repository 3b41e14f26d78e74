package io.stampedeguard.filter.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.testkit.Callers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bits of a key are always in the same places, and none is lost. */
final class BlockedBloomTest {
    private static final BloomShape SHAPE = new BloomShape(32 * 40, 7);

    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);

    private long[] hashes(int number) {
        return random.longs(number).map(Hashes::of).toArray();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 6, 7, 8, 13, 14})
    void whatWasAddedIsThere(int bitsPerKey) {
        BlockedBloom bits = new BlockedBloom(new BloomShape(1_024, bitsPerKey));
        long[] hashes = hashes(20_000);
        for (long hash : hashes) {
            bits.add(hash);
            assertThat(bits.mightContain(hash)).as("seed %d", seed).isTrue();
        }
        assertThat(Arrays.stream(hashes)).as("seed %d", seed).allMatch(bits::mightContain);
    }

    /** A simple implementation without regard to speed. */
    @ParameterizedTest
    @ValueSource(ints = {1, 6, 7, 8, 14})
    void looksAnswerAsAPlainSetOfBitsDoes(int bitsPerKey) {
        BloomShape shape = new BloomShape(64, bitsPerKey);
        BlockedBloom bits = new BlockedBloom(shape);
        BitSet plain = new BitSet();
        for (long hash : hashes(2_000)) {
            boolean changed = bits.add(hash);
            int before = plain.cardinality();
            places(hash, shape).forEach(plain::set);
            assertThat(changed).as("seed %d", seed).isEqualTo(plain.cardinality() > before);
            assertThat(bits.bitsSet()).as("seed %d", seed).isEqualTo(plain.cardinality());
            long other = Hashes.of(random.nextLong());
            assertThat(bits.mightContain(other))
                    .as("seed %d", seed)
                    .isEqualTo(places(other, shape).stream().allMatch(plain::get));
            int block = BlockedBloom.block(other, 64);
            assertThat(BlockedBloom.mightContain(bits.bytes(block, 1), other, bitsPerKey))
                    .isEqualTo(bits.mightContain(other));
        }
    }

    private static List<Integer> places(long hash, BloomShape shape) {
        int block = BlockedBloom.block(hash, shape.blocks()) * BloomShape.BLOCK_BYTES * 8;
        return Arrays.stream(BlockedBloom.positions(hash, shape.bitsPerKey()))
                .mapToObj(position -> block + position)
                .toList();
    }

    @Test
    void bitsStandAsRedisCountsThem() {
        BlockedBloom bits = new BlockedBloom(SHAPE);
        long hash = Hashes.of(42);
        bits.add(hash);

        byte[] block = bits.bytes(BlockedBloom.block(hash, SHAPE.blocks()), 1);

        byte[] expected = new byte[BloomShape.BLOCK_BYTES];
        for (int position : BlockedBloom.positions(hash, SHAPE.bitsPerKey())) {
            expected[position / 8] |= (byte) (128 >> position % 8); // as SETBIT does
        }
        assertThat(block).isEqualTo(expected);
        assertThat(bits.bitsSet()).isEqualTo(SHAPE.bitsPerKey());
    }

    /** Filters are kept: these values must never change. */
    @Test
    void placesOfAHashAreTheseForEver() {
        assertPlaces(
                0xd5a6f8c838df27c8L, 26, 16_237, 165, 308, 295, 360, 271, 291, 480, 328, 291, 107, 401, 60, 265, 475);
        assertPlaces(
                0xc77b3abb6f87acd9L, 24, 15_160, 308, 239, 449, 312, 323, 174, 237, 484, 108, 458, 13, 153, 268, 467);
        assertPlaces(
                0x2d06800538d394c2L, 5, 3_421, 432, 298, 142, 307, 421, 318, 278, 287, 395, 284, 487, 244, 509, 330);
    }

    private static void assertPlaces(long hash, int partition, int blockOf19456, int... positions) {
        assertThat(BlockedBloom.partition(hash)).isEqualTo(partition);
        assertThat(BlockedBloom.block(hash, 19_456)).isEqualTo(blockOf19456);
        assertThat(BlockedBloom.positions(hash, 14)).isEqualTo(positions);
    }

    /** So 14 known bits of them determine those of each shape. */
    @Test
    void positionsDoNotDependOnTheirNumber() {
        for (long hash : hashes(1_000)) {
            int[] all = BlockedBloom.positions(hash, 14);
            for (int number = 1; number < 14; number++) {
                assertThat(BlockedBloom.positions(hash, number)).isEqualTo(Arrays.copyOf(all, number));
            }
        }
    }

    /** So a script that knows 27 bits of a hash finds its block in a partition of any length. */
    @Test
    void partitionAndBlockWithinTellTheBlock() {
        for (long hash : hashes(10_000)) {
            int perPartition = 1 + random.nextInt(BloomShape.MOST_BLOCKS / BloomShape.PARTITIONS);
            long low27 = hash >>> 32 & (1 << 27) - 1;
            assertThat(BlockedBloom.block(hash, 32 * perPartition))
                    .as("seed %d", seed)
                    .isEqualTo(BlockedBloom.partition(hash) * perPartition + (int) (low27 * perPartition >>> 27));
        }
    }

    @Test
    void firstAndLastBlockAreReached() {
        assertThat(BlockedBloom.block(0, BloomShape.MOST_BLOCKS)).isZero();
        assertThat(BlockedBloom.block(-1, BloomShape.MOST_BLOCKS)).isEqualTo(BloomShape.MOST_BLOCKS - 1);
        BlockedBloom largest = new BlockedBloom(new BloomShape(BloomShape.MOST_BLOCKS, 14));
        largest.add(-1);
        assertThat(largest.mightContain(-1)).isTrue();
        assertThat(largest.mightContain(0)).isFalse();
    }

    @Test
    void mergedBytesAreTheFilter() {
        BlockedBloom one = new BlockedBloom(SHAPE);
        BlockedBloom other = new BlockedBloom(SHAPE);
        long[] ones = hashes(3_000);
        long[] others = hashes(3_000);
        Arrays.stream(ones).forEach(one::add);
        Arrays.stream(others).forEach(other::add);
        int chunk = 1 + random.nextInt(SHAPE.blocks());

        for (int block = 0; block < SHAPE.blocks(); block += chunk) {
            byte[] bytes = one.bytes(block, Math.min(chunk, SHAPE.blocks() - block));
            other.merge(block, bytes);
            assertThat(other.merge(block, bytes)).as("nothing new").isFalse();
        }

        BlockedBloom both = new BlockedBloom(SHAPE);
        Arrays.stream(ones).forEach(both::add);
        Arrays.stream(others).forEach(both::add);
        assertThat(other.bytes(0, SHAPE.blocks())).as("seed %d", seed).isEqualTo(both.bytes(0, SHAPE.blocks()));
        assertThat(other.bitsSet()).isEqualTo(both.bitsSet());
        assertThat(Arrays.stream(ones)).allMatch(other::mightContain);
    }

    @Test
    void onlyWholeBlocksThatAreThereAreMerged() {
        BlockedBloom bits = new BlockedBloom(SHAPE);
        assertThatThrownBy(() -> bits.merge(0, new byte[100]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("100 bytes are not blocks of 64 bytes");
        byte[] full = new byte[128];
        Arrays.fill(full, (byte) -1);
        assertThatThrownBy(() -> bits.merge(SHAPE.blocks() - 1, full)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> bits.merge(-1, full)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(bits.bitsSet()).isZero();
        assertThat(bits.merge(0, new byte[0])).isFalse();
        assertThat(bits.merge(SHAPE.blocks() - 2, full)).isTrue();
        assertThat(bits.bitsSet()).isEqualTo(1_024);
    }

    /** Several threads add, one merges, and lookups find everything that was added before. */
    @Test
    void nothingIsLostAmongManyWhoAddAtOnce() throws Exception {
        BlockedBloom bits = new BlockedBloom(new BloomShape(32, 7)); // small: all use the same words
        BlockedBloom merged = new BlockedBloom(bits.shape());
        long[] hashes = hashes(300);
        AtomicLong at = new AtomicLong();
        try (Callers callers = new Callers()) {
            List<Callers.Call<Boolean>> calls = new ArrayList<>(callers.call(4, () -> {
                for (int i = (int) at.getAndIncrement(); i < hashes.length; i = (int) at.getAndIncrement()) {
                    bits.add(hashes[i]);
                    if (!bits.mightContain(hashes[i])) {
                        return false;
                    }
                }
                return true;
            }));
            calls.add(callers.call(() -> {
                while (at.get() < hashes.length) {
                    merged.merge(0, bits.bytes(0, 32));
                }
                return true;
            }));
            assertThat(Callers.results(calls)).as("seed %d", seed).containsOnly(true);
        }
        BlockedBloom alone = new BlockedBloom(bits.shape());
        Arrays.stream(hashes).forEach(alone::add);
        assertThat(bits.bytes(0, 32)).as("seed %d", seed).isEqualTo(alone.bytes(0, 32));
        assertThat(bits.bitsSet()).as("seed %d", seed).isEqualTo(alone.bitsSet());
        merged.merge(0, bits.bytes(0, 32));
        assertThat(merged.bitsSet()).isEqualTo(alone.bitsSet());
    }
}
