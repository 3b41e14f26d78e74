package io.stampedeguard.filter.bloom;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * The bits of a blocked Bloom filter. A key is known by a hash of 64 bits: the upper half tells its block, and all of it,
 * mixed once more, its bits within, 9 for each. Bits are only ever set. They stand as Redis counts them, the first the highest
 * of its byte. <em>Thread-safe</em>, without a lock: who has seen {@link #add} return sees its bits.
 */
public final class BlockedBloom {
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle BYTES = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int WORDS_PER_BLOCK = BloomShape.BLOCK_BYTES / Long.BYTES;
    private static final int POSITION_BITS = 9;
    private static final int POSITION_MASK = (1 << POSITION_BITS) - 1;
    private static final int POSITIONS_PER_MIX = Long.SIZE / POSITION_BITS; // twice as many are the most there can be

    private final BloomShape shape;
    private final int blocks;
    private final int bitsPerKey;
    private final long[] words;
    private final LongAdder bitsSet = new LongAdder();

    /**
     * Creates an empty one.
     *
     * @param shape how large
     */
    public BlockedBloom(BloomShape shape) {
        this.shape = shape;
        this.blocks = shape.blocks();
        this.bitsPerKey = shape.bitsPerKey();
        this.words = new long[blocks * WORDS_PER_BLOCK];
    }

    /**
     * Returns how large it is.
     *
     * @return the shape
     */
    public BloomShape shape() {
        return shape;
    }

    /**
     * Returns whether a key may have been added.
     *
     * @param hash the key's hash
     * @return false only if it was not
     */
    public boolean mightContain(long hash) {
        int base = block(hash, blocks) * WORDS_PER_BLOCK;
        long all = probe(base, mix(hash), Math.min(bitsPerKey, POSITIONS_PER_MIX));
        if (bitsPerKey > POSITIONS_PER_MIX) {
            all &= probe(base, mix(~hash), bitsPerKey - POSITIONS_PER_MIX);
        }
        return all < 0;
    }

    /** Shifts each bit to the highest place, and never leaves early: a branch that nobody can foretell costs more than a bit. */
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
     * @return whether that changed anything
     */
    public boolean add(long hash) {
        int base = block(hash, blocks) * WORDS_PER_BLOCK;
        int added = 0;
        for (int position : positions(hash, bitsPerKey)) {
            added += set(base + (position >>> 6), Long.MIN_VALUE >>> position);
        }
        return count(added);
    }

    /** Returns how many of the bits were not set before. */
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
     * Takes over all bits that stand in some blocks.
     *
     * @param firstBlock where
     * @param bytes the blocks, one after the other
     * @return whether that changed anything
     * @throws IllegalArgumentException if these are not whole blocks
     * @throws IndexOutOfBoundsException if there are not as many blocks here
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
     * Returns the bits of some blocks.
     *
     * @param firstBlock where
     * @param number how many blocks
     * @return a new array
     */
    public byte[] bytes(int firstBlock, int number) {
        byte[] bytes = new byte[number * BloomShape.BLOCK_BYTES];
        int at = firstBlock * WORDS_PER_BLOCK;
        for (int i = 0; i < bytes.length; i += Long.BYTES) {
            BYTES.set(bytes, i, (long) WORDS.getOpaque(words, at + i / Long.BYTES));
        }
        return bytes;
    }

    /**
     * Returns how many bits are set.
     *
     * @return their number, of a moment ago if others add
     */
    public long bitsSet() {
        return bitsSet.sum();
    }

    /**
     * Returns whether one block has a key.
     *
     * @param block its {@value BloomShape#BLOCK_BYTES} bytes
     * @param hash the key's hash
     * @param bitsPerKey how many bits a key has there
     * @return false only if the key was not added
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
     * Returns the block of a key.
     *
     * @param hash the key's hash
     * @param blocks how many blocks there are
     * @return from 0
     */
    public static int block(long hash, int blocks) {
        return (int) (((hash >>> 32) * blocks) >>> 32);
    }

    /**
     * Returns the partition of a key, however many blocks there are.
     *
     * @param hash the key's hash
     * @return from 0
     */
    public static int partition(long hash) {
        return block(hash, BloomShape.PARTITIONS);
    }

    /**
     * Returns which bits of its block a key has.
     *
     * @param hash the key's hash
     * @param bitsPerKey how many
     * @return from 0 to 511 each; a bit may be there twice
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
