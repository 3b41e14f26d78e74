package io.stampedeguard.filter.internal;

/**
 * The size of a blocked Bloom filter: all bits of a key lie in one block of 64 bytes (F. Putze, P. Sanders, J. Singler, "Cache-,
 * Hash- and Space-Efficient Bloom Filters", WEA 2007), so that a query reads one place in memory.
 *
 * <p>The price: by chance, some blocks contain more keys than others, and the full ones let more pass than the empty ones save.
 * For the same rate, the filter must be larger. The size computed here takes this into account exactly. A nonexistent key passes
 * if each of its k bits is among those of the keys in its block of B bits:
 * <ol>
 *   <li>It has D different bits, 1 to k: by chance, two may be the same.
 *   <li>None of j certain bits is set by one key with probability q<sub>j</sub> = (1 − j/B)<sup>k</sup>, and by none of n keys in
 *       b blocks with probability (1 − (1 − q<sub>j</sub>)/b)<sup>n</sup>.
 *   <li>By inclusion and exclusion, the rate is Σ<sub>j</sub> (−1)<sup>j</sup> E[C(D, j)] (1 − (1 −
 *       q<sub>j</sub>)/b)<sup>n</sup>.
 * </ol>
 *
 * <p>The blocks form {@value #PARTITIONS} partitions of equal length, so that no part is too large to be stored as one value.
 * <em>Immutable.</em>
 *
 * @param blocks the number of blocks, a multiple of the number of partitions
 * @param bitsPerKey the number of bits that are set for a key
 */
public record BloomShape(int blocks, int bitsPerKey) {
    /** The number of bytes in a block. */
    public static final int BLOCK_BYTES = 64;

    /** The number of partitions. */
    public static final int PARTITIONS = 32;

    /** The maximum number of blocks: no partition is longer than 8 MiB. */
    public static final int MOST_BLOCKS = PARTITIONS * ((8 << 20) / BLOCK_BYTES);

    /** The maximum number of bits for a key. */
    public static final int MOST_BITS_PER_KEY = 14;

    private static final int BLOCK_BITS = BLOCK_BYTES * 8;
    private static final double SMALLEST_RATE = 1e-6;
    private static final double LARGEST_RATE = 0.5;

    /**
     * Checks the bounds.
     *
     * @param blocks the number of blocks
     * @param bitsPerKey the number of bits that are set for a key
     */
    public BloomShape {
        if (blocks < PARTITIONS || blocks > MOST_BLOCKS || blocks % PARTITIONS != 0) {
            throw new IllegalArgumentException(
                    blocks + " blocks are not a multiple of " + PARTITIONS + " up to " + MOST_BLOCKS);
        }
        if (bitsPerKey < 1 || bitsPerKey > MOST_BITS_PER_KEY) {
            throw new IllegalArgumentException(bitsPerKey + " bits per key are not from 1 to " + MOST_BITS_PER_KEY);
        }
    }

    /**
     * {@return the smallest shape that keeps a rate}
     *
     * @param expectedKeys the number of keys
     * @param rate the share of nonexistent keys that may pass
     * @throws IllegalArgumentException if there is none, or if the rate is not from 0.000001 to 0.5
     */
    public static BloomShape of(long expectedKeys, double rate) {
        if (expectedKeys < 1) {
            throw new IllegalArgumentException("expectedKeys " + expectedKeys + " is less than 1");
        }
        if (!(rate >= SMALLEST_RATE && rate <= LARGEST_RATE)) {
            throw new IllegalArgumentException(
                    "falsePositiveRate " + rate + " is not from " + SMALLEST_RATE + " to " + LARGEST_RATE);
        }
        BloomShape best = null;
        for (int bits = 1; bits <= MOST_BITS_PER_KEY; bits++) {
            int most = best == null ? MOST_BLOCKS : best.blocks - PARTITIONS;
            if (most >= PARTITIONS && new BloomShape(most, bits).rateWith(expectedKeys) <= rate) {
                best = smallest(expectedKeys, rate, bits, most / PARTITIONS);
            }
        }
        if (best == null) {
            throw new IllegalArgumentException("a filter for " + expectedKeys + " keys at a falsePositiveRate of "
                    + rate + " would be larger than " + (((long) MOST_BLOCKS * BLOCK_BYTES) >> 20) + " MiB");
        }
        return best;
    }

    private static BloomShape smallest(long expectedKeys, double rate, int bits, int enough) {
        int tooFew = 0;
        int blocksEach = enough;
        while (blocksEach - tooFew > 1) {
            int middle = (tooFew + blocksEach) >>> 1;
            if (new BloomShape(middle * PARTITIONS, bits).rateWith(expectedKeys) <= rate) {
                blocksEach = middle;
            } else {
                tooFew = middle;
            }
        }
        return new BloomShape(blocksEach * PARTITIONS, bits);
    }

    /** {@return the number of blocks in a partition} */
    public int blocksPerPartition() {
        return blocks / PARTITIONS;
    }

    /** {@return the number of bytes in all blocks} */
    public long bytes() {
        return (long) blocks * BLOCK_BYTES;
    }

    /**
     * {@return the share of nonexistent keys that would pass, from 0 to 1}
     *
     * @param keys the number of keys in the filter
     */
    public double rateWith(long keys) {
        double[] different = differentBits();
        double rate = 0;
        for (int j = 0; j <= bitsPerKey; j++) {
            double mean = 0;
            for (int d = j; d <= bitsPerKey; d++) {
                mean += different[d] * choose(d, j);
            }
            rate += (j % 2 == 0 ? mean : -mean) * Math.exp(keys * logUntouched(j));
        }
        return Math.min(1, Math.max(0, rate));
    }

    /** Returns the probability of each number of different bits of a key. */
    private double[] differentBits() {
        double[] chance = new double[bitsPerKey + 1];
        chance[0] = 1;
        for (int drawn = 1; drawn <= bitsPerKey; drawn++) {
            for (int d = drawn; d >= 1; d--) {
                chance[d] = (chance[d] * d + chance[d - 1] * (BLOCK_BITS - d + 1)) / BLOCK_BITS;
            }
            chance[0] = 0;
        }
        return chance;
    }

    private static double choose(int from, int number) {
        double ways = 1;
        for (int i = 0; i < number; i++) {
            ways = ways * (from - i) / (i + 1);
        }
        return ways;
    }

    /** Returns the logarithm of the probability that a key of the filter sets none of the given number of bits of one block. */
    private double logUntouched(int bits) {
        double touched = 1 - Math.pow(1 - (double) bits / BLOCK_BITS, bitsPerKey);
        return Math.log1p(-touched / blocks);
    }

    /**
     * {@return approximately how many keys set a number of bits}
     *
     * @param bitsSet the number of bits that are set
     */
    public long keysFor(long bitsSet) {
        double bits = bytes() * 8.0;
        double clear = Math.max(1, bits - bitsSet);
        return Math.round(Math.log(clear / bits) / logUntouched(1));
    }

    /**
     * {@return approximately how many bits a number of keys sets}
     *
     * @param keys the number of keys
     */
    public long bitsFor(long keys) {
        return Math.round(-Math.expm1(keys * logUntouched(1)) * bytes() * 8);
    }
}
