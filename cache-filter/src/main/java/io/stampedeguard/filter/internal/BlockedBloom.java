package io.stampedeguard.filter.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * The bits of a blocked Bloom filter. A key is identified by a hash of 64 bits: the upper half determines its block, and the
 * whole hash, mixed once more, determines its bits within the block, 9 hash bits for each. Bits are only ever set. They are
 * numbered like those of Redis: the first bit is the highest of its byte. <em>Thread-safe</em>, without a lock: a thread that
 * has seen {@link #add} return sees the key's bits.
 */
public final class BlockedBloom {
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle BYTES = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int WORDS_PER_BLOCK = BloomShape.BLOCK_BYTES / Long.BYTES;
    private static final int POSITION_BITS = 9;
    private static final int POSITION_MASK = (1 << POSITION_BITS) - 1;
    private static final int POSITIONS_PER_MIX = Long.SIZE / POSITION_BITS; // at most twice as many are used

    private final BloomShape shape;
    private final int blocks;
    private final int bitsPerKey;
    private final long[] words;
    private final LongAdder bitsSet = new LongAdder();

    /**
     * Creates an empty filter.
     *
     * @param shape its size
     */
    public BlockedBloom(BloomShape shape) {
        this.shape = shape;
        this.blocks = shape.blocks();
        this.bitsPerKey = shape.bitsPerKey();
        this.words = new long[blocks * WORDS_PER_BLOCK];
    }

    /** {@return the size} */
    public BloomShape shape() {
        return shape;
    }

    /**
     * {@return whether a key may have been added; false only if it was not}
     *
     * @param hash the key's hash
     */
    public boolean mightContain(long hash) {
        int base = block(hash, blocks) * WORDS_PER_BLOCK;
        long all = probe(base, mix(hash), Math.min(bitsPerKey, POSITIONS_PER_MIX));
        if (bitsPerKey > POSITIONS_PER_MIX) {
            all &= probe(base, mix(~hash), bitsPerKey - POSITIONS_PER_MIX);
        }
        return all < 0;
    }

    /** Shifts each bit to the highest position, and never returns early: an unpredictable branch costs more than a bit. */
    private long probe(int base, long positions, int number) {
        long all = -1;
        for (int i = 0; i < number; i++) {
            int position = (int) (positions >>> (i * POSITION_BITS)) & POSITION_MASK;
            all &= (long) WORDS.getOpaque(words, base + (position >>> 6)) << position;
        }
        return all;
    }

    /**
     * Adds a key.
     *
     * @param hash the key's hash
     * @return whether any bit was changed
     */
    public boolean add(long hash) {
        int base = block(hash, blocks) * WORDS_PER_BLOCK;
        int added = 0;
        for (int position : positions(hash, bitsPerKey)) {
            added += set(base + (position >>> 6), Long.MIN_VALUE >>> position);
        }
        return count(added);
    }

    /** Sets bits; returns how many of them were not set before. */
    private int set(int at, long bits) {
        long before = (long) WORDS.getOpaque(words, at);
        if ((before & bits) == bits) {
            return 0;
        }
        before = (long) WORDS.getAndBitwiseOr(words, at, bits);
        return Long.bitCount(bits & ~before);
    }

    private boolean count(int added) {
        if (added != 0) {
            bitsSet.add(added);
        }
        return added != 0;
    }

    /**
     * Adds all bits of some blocks.
     *
     * @param firstBlock the first block
     * @param bytes the blocks, one after another
     * @return whether any bit was changed
     * @throws IllegalArgumentException if the bytes are not whole blocks
     * @throws IndexOutOfBoundsException if this filter has fewer blocks
     */
    public boolean merge(int firstBlock, byte[] bytes) {
        if (bytes.length % BloomShape.BLOCK_BYTES != 0) {
            throw new IllegalArgumentException(
                    bytes.length + " bytes are not blocks of " + BloomShape.BLOCK_BYTES + " bytes");
        }
        Objects.checkFromIndexSize(firstBlock, bytes.length / BloomShape.BLOCK_BYTES, blocks);
        int at = firstBlock * WORDS_PER_BLOCK;
        int added = 0;
        for (int i = 0; i < bytes.length; i += Long.BYTES) {
            added += set(at + i / Long.BYTES, (long) BYTES.get(bytes, i));
        }
        return count(added);
    }

    /**
     * {@return the bits of some blocks, in a new array}
     *
     * @param firstBlock the first block
     * @param number the number of blocks
     */
    public byte[] bytes(int firstBlock, int number) {
        byte[] bytes = new byte[number * BloomShape.BLOCK_BYTES];
        int at = firstBlock * WORDS_PER_BLOCK;
        for (int i = 0; i < bytes.length; i += Long.BYTES) {
            BYTES.set(bytes, i, (long) WORDS.getOpaque(words, at + i / Long.BYTES));
        }
        return bytes;
    }

    /** {@return the number of bits that are set; keys added concurrently may be missing} */
    public long bitsSet() {
        return bitsSet.sum();
    }

    /**
     * {@return whether a key may have been added to a block; false only if it was not}
     *
     * @param block its {@value BloomShape#BLOCK_BYTES} bytes
     * @param hash the key's hash
     * @param bitsPerKey the number of bits of a key
     */
    public static boolean mightContain(byte[] block, long hash, int bitsPerKey) {
        for (int position : positions(hash, bitsPerKey)) {
            if ((block[position >>> 3] & (0x80 >>> (position & 7))) == 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * {@return the block of a key, from 0}
     *
     * @param hash the key's hash
     * @param blocks the number of blocks
     */
    public static int block(long hash, int blocks) {
        return (int) (((hash >>> 32) * blocks) >>> 32);
    }

    /**
     * {@return the partition of a key, from 0, which does not depend on the number of blocks}
     *
     * @param hash the key's hash
     */
    public static int partition(long hash) {
        return block(hash, BloomShape.PARTITIONS);
    }

    /**
     * {@return the positions of a key's bits in its block, from 0 to 511; a position may occur twice}
     *
     * @param hash the key's hash
     * @param bitsPerKey the number of bits of a key
     */
    public static int[] positions(long hash, int bitsPerKey) {
        int[] positions = new int[bitsPerKey];
        long mixed = mix(hash);
        for (int i = 0; i < bitsPerKey; i++) {
            if (i == POSITIONS_PER_MIX) {
                mixed = mix(~hash);
            }
            positions[i] = (int) mixed & POSITION_MASK;
            mixed >>>= POSITION_BITS;
        }
        return positions;
    }

    /** The last step of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). */
    private static long mix(long bits) {
        long mixed = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
