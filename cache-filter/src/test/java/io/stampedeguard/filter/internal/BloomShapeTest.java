package io.stampedeguard.filter.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A filter is as large as its rate requires, no larger, and its computed rate is the measured one. */
final class BloomShapeTest {
    private static final int KEYS_IN_ALL = 1_000_000;
    private static final int PASSING = 2_000;

    /** Small filters differ by chance: many are measured. */
    @ParameterizedTest
    @CsvSource({
        "1000, 0.1", "1000, 0.01", "1000, 0.001",
        "10000, 0.1", "10000, 0.01", "10000, 0.001",
        "100000, 0.1", "100000, 0.01", "100000, 0.001",
        "1000000, 0.1", "1000000, 0.01", "1000000, 0.001"
    })
    void measuredRateIsWithinTheConfiguredOneAtDesignLoad(int keys, double rate) {
        measureRate(keys, rate);
    }

    @ParameterizedTest
    @ValueSource(ints = {1_000, 10_000, 100_000, 1_000_000})
    @Tag("proof")
    void measuredRateIsWithinALowConfiguredOneAtDesignLoad(int keys) {
        measureRate(keys, 0.0001);
        measureRate(keys, 0.00001);
    }

    private static void measureRate(int keys, double rate) {
        BloomShape shape = BloomShape.of(keys, rate);
        long seed = new Random().nextLong();
        int filters = KEYS_IN_ALL / keys;
        int looks = (int) (PASSING / rate / filters);
        long passed = 0;
        for (int filter = 0; filter < filters; filter++) {
            passed += passing(filled(shape, keys, seed + filter), looks, seed + filter);
        }
        double measured = (double) passed / looks / filters;

        assertThat(measured).as("seed %d", seed).isLessThan(rate * 1.2);
        assertThat(measured / shape.rateWith(keys)).as("seed %d", seed).isCloseTo(1, within(0.15));
    }

    private static BlockedBloom filled(BloomShape shape, int keys, long seed) {
        BlockedBloom bits = new BlockedBloom(shape);
        Random random = new Random(seed);
        for (int i = 0; i < keys; i++) {
            bits.add(hash(random));
        }
        return bits;
    }

    private static long passing(BlockedBloom bits, int looks, long seed) {
        Random random = new Random(~seed);
        long passed = 0;
        for (int i = 0; i < looks; i++) {
            passed += bits.mightContain(hash(random)) ? 1 : 0;
        }
        return passed;
    }

    /** The numbers of {@code Random} are too regular themselves. */
    private static long hash(Random random) {
        return Hashes.of(random.nextLong());
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.1, 0.01})
    void overloadIsForetoldToo(double rate) {
        overload(rate);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.001, 0.0001})
    @Tag("proof")
    void overloadIsForetoldAtLowRatesToo(double rate) {
        overload(rate);
    }

    private static void overload(double rate) {
        int keys = 200_000;
        BloomShape shape = BloomShape.of(keys, rate);
        for (double load : new double[] {0.5, 1.5, 3}) {
            int added = (int) (keys * load);
            double foretold = shape.rateWith(added);
            int looks = (int) Math.min(20_000_000, PASSING / foretold);
            long passed = passing(filled(shape, added, 7), looks, 7);
            double noise = 5 / Math.sqrt(looks * foretold);
            assertThat(passed / foretold / looks).as("at %s of the load", load).isCloseTo(1, within(0.1 + noise));
        }
    }

    /** The table of docs/penetration.md: the cost of all bits of a key in one block, compared with bits anywhere. */
    @ParameterizedTest
    @CsvSource({
        "0.1,      3,  4.85,  4.79,  0.012",
        "0.03,     5,  7.44,  7.30,  0.019",
        "0.01,     6,  9.93,  9.59,  0.036",
        "0.003,    8, 12.78, 12.09,  0.057",
        "0.001,    9, 15.55, 14.38,  0.081",
        "0.0001,  12, 22.04, 19.17,  0.150",
        "0.00001, 14, 29.67, 23.96,  0.238",
        "0.000001,14, 39.24, 28.76,  0.365"
    })
    void priceOfBlockingIsThatOfTheTable(double rate, int bitsSet, double bitsPerKey, double textbook, double price) {
        int keys = 1_000_000;
        BloomShape shape = BloomShape.of(keys, rate);
        double bits = shape.bytes() * 8.0 / keys;
        double elsewhere = -Math.log(rate) / Math.pow(Math.log(2), 2);

        assertThat(shape.bitsPerKey()).isEqualTo(bitsSet);
        assertThat(bits).isCloseTo(bitsPerKey, within(0.005));
        assertThat(elsewhere).isCloseTo(textbook, within(0.005));
        assertThat(bits / elsewhere - 1).isCloseTo(price, within(0.001));
    }

    @Test
    void smallerOneWouldNotDo() {
        for (double rate : new double[] {0.5, 0.1, 0.01, 0.001, 0.00001, 0.000001}) {
            for (long keys : new long[] {20_000, 300_000, 5_000_000}) {
                BloomShape shape = BloomShape.of(keys, rate);
                assertThat(shape.rateWith(keys)).isLessThanOrEqualTo(rate);
                for (int bits = 1; bits <= BloomShape.MOST_BITS_PER_KEY; bits++) {
                    assertThat(new BloomShape(shape.blocks() - BloomShape.PARTITIONS, bits).rateWith(keys))
                            .isGreaterThan(rate);
                }
            }
        }
    }

    @Test
    void tenMillionKeysAtAHundredthTakeLessThan16MiB() {
        assertThat(BloomShape.of(10_000_000, 0.01).bytes()).isLessThan(16 << 20);
    }

    @Test
    void noPartitionExceeds8MiBAndTheLargestReachesIt() {
        assertThat(BloomShape.of(215_000_000, 0.01).bytes() / BloomShape.PARTITIONS)
                .isBetween(7L << 20, 8L << 20);
        assertThat(new BloomShape(BloomShape.MOST_BLOCKS, 6).bytes() / BloomShape.PARTITIONS)
                .isEqualTo(8L << 20);
        assertThatThrownBy(() -> BloomShape.of(1_000_000_000, 0.01))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a filter for 1000000000 keys at a falsePositiveRate of 0.01 would be larger than 256 MiB");
        assertThatThrownBy(() -> BloomShape.of(Long.MAX_VALUE, 0.5)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void oddNumbersAreRefusedWithTheirValues() {
        assertRefused(0, 0.01, "expectedKeys 0 is less than 1");
        assertRefused(-1, 0.01, "expectedKeys -1 is less than 1");
        assertRefused(1, 0, "falsePositiveRate 0.0 is not from 1.0E-6 to 0.5");
        assertRefused(1, 0.51, "falsePositiveRate 0.51 is not from 1.0E-6 to 0.5");
        assertRefused(1, Double.NaN, "falsePositiveRate NaN is not from 1.0E-6 to 0.5");
        for (int blocks : new int[] {0, -32, 31, 33, BloomShape.MOST_BLOCKS + BloomShape.PARTITIONS}) {
            assertThatThrownBy(() -> new BloomShape(blocks, 7))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(Integer.toString(blocks));
        }
        for (int bits : new int[] {0, 15}) {
            assertThatThrownBy(() -> new BloomShape(32, bits))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(bits + " bits per key are not from 1 to 14");
        }
    }

    private static void assertRefused(long keys, double rate, String message) {
        assertThatThrownBy(() -> BloomShape.of(keys, rate))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource({"1000, 0.1, 0.04", "1000, 0.0001, 0.04", "100000, 0.01, 0.01", "1000000, 0.001, 0.005"})
    void keysAreEstimatedFromTheBitsThatAreSet(int keys, double rate, double error) {
        long seed = new Random().nextLong();
        BloomShape shape = BloomShape.of(keys, rate);
        for (int added : new int[] {keys / 4, keys / 2, keys, 2 * keys}) {
            long bitsSet = filled(shape, added, seed).bitsSet();
            assertThat(shape.keysFor(bitsSet) / (double) added)
                    .as("seed %d", seed)
                    .isCloseTo(1, within(error));
            assertThat(shape.bitsFor(added) / (double) bitsSet)
                    .as("seed %d", seed)
                    .isCloseTo(1, within(error));
        }
    }

    @Test
    void estimatesGoThereAndBackAndHaveAnEnd() {
        BloomShape shape = BloomShape.of(1_000_000, 0.01);
        for (long keys : new long[] {0, 1, 10, 1_000, 1_000_000, 3_000_000}) {
            assertThat(shape.keysFor(shape.bitsFor(keys))).isCloseTo(keys, within(1 + keys / 100_000));
        }
        long all = shape.bytes() * 8;
        assertThat(shape.bitsFor(Long.MAX_VALUE)).isEqualTo(all);
        assertThat(shape.keysFor(all)).isBetween(20_000_000L, 40_000_000L);
        assertThat(shape.rateWith(0)).isZero();
        assertThat(shape.rateWith(1)).isBetween(0.0, 1e-4);
        assertThat(shape.rateWith(Long.MAX_VALUE)).isEqualTo(1);
    }
}
