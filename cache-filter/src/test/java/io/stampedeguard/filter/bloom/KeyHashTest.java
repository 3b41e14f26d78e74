package io.stampedeguard.filter.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.dynatrace.hash4j.hashing.Hashing;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Filters are kept for a long time: the hash of a key must never change. */
final class KeyHashTest {
    private static final KeyHash<Object> STANDARD = KeyHash.standard();

    /**
     * Values of the reference: XXH3, 64 bits, seed 0, of the bytes in little-endian order. The first is from its own
     * tests.
     */
    @Test
    void hashesAreTheseForEver() {
        assertThat(STANDARD.of("")).isEqualTo(0x2d06800538d394c2L);
        assertThat(STANDARD.of(0L)).isEqualTo(0xc77b3abb6f87acd9L);
        assertThat(STANDARD.of(1L)).isEqualTo(0x2fbc593564db792eL);
        assertThat(STANDARD.of(42L)).isEqualTo(0xd5a6f8c838df27c8L);
        assertThat(STANDARD.of(-1L)).isEqualTo(0x5111c7e47d784413L);
        assertThat(STANDARD.of(Long.MAX_VALUE)).isEqualTo(0xa233cf376558df46L);
        assertThat(STANDARD.of(Long.MIN_VALUE)).isEqualTo(0x828f2476789a0e5fL);
        assertThat(STANDARD.of("a")).isEqualTo(0xd78baac08237ddbL);
        assertThat(STANDARD.of("product-1")).isEqualTo(0x3932636e6e1fcce8L);
        assertThat(STANDARD.of("产品")).isEqualTo(0x15d9b425aac465c7L);
        assertThat(STANDARD.of("\ud83d\ude00")).isEqualTo(0x4f5e7c036410fd49L);
        assertThat(STANDARD.of("x".repeat(300))).isEqualTo(0x804a84e2a542dd6bL);
        assertThat(STANDARD.of(new UUID(1, 2))).isEqualTo(0x7ee86c281446befL);
        assertThat(STANDARD.of(BigInteger.TEN)).isEqualTo(STANDARD.of(10L));
        assertThat(STANDARD.of('c')).isEqualTo(0x4ed00dcf6d58e981L);
    }

    @Test
    void wholeNumbersOfOneValueHaveOneHash() {
        for (int number : new int[] {0, 1, -1, 42, 127, -128}) {
            long hash = STANDARD.of(Integer.toString(number));
            assertThat(STANDARD.of((long) number)).isEqualTo(hash);
            assertThat(STANDARD.of(number)).isEqualTo(hash);
            assertThat(STANDARD.of((short) number)).isEqualTo(hash);
            assertThat(STANDARD.of((byte) number)).isEqualTo(hash);
        }
    }

    /** A row that is announced by its number may be requested by the text of its number. */
    @Test
    void keysOfOneTextHaveOneHashWhateverTheirTypes() {
        List<Object> keys = new ArrayList<>(List.of(Long.MAX_VALUE, Long.MIN_VALUE, Integer.MIN_VALUE, 0L));
        for (long power = 1; power <= 1_000_000_000_000_000_000L / 10; power *= 10) {
            keys.addAll(List.of(power, power * 10 - 1, power * 10, -power, 1 - power * 10, power + 7));
        }
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int i = 0; i < 10_000; i++) {
            keys.add(random.nextLong() >> random.nextInt(64));
            keys.add(random.nextInt());
            keys.add((short) random.nextInt());
            keys.add(new UUID(random.nextLong(), random.nextLong()));
        }
        keys.addAll(List.of(new UUID(0, 0), new UUID(-1, -1), new BigInteger("9223372036854775808"), 1.5, 'c', true));
        for (Object key : keys) {
            assertThat(STANDARD.of(key)).as("%s, seed %d", key, seed).isEqualTo(STANDARD.of(key.toString()));
        }
    }

    @Test
    void textsOtherThanCanonicalLongsAndUuidsAreHashedAsTexts() {
        String uuid = new UUID(1, 0xabcdefL << 32).toString();
        for (String text : List.of(
                "",
                "-",
                "-0",
                "00",
                "07",
                "+7",
                "7 ",
                "7L",
                "0x7",
                "\u0667",
                "9223372036854775808",
                "-9223372036854775809",
                "99999999999999999999",
                uuid.toUpperCase(Locale.ROOT),
                uuid.replace('-', '_'),
                uuid.substring(1) + "0")) {
            assertThat(STANDARD.of(text)).as(text).isEqualTo(Hashing.xxh3_64().hashCharsToLong(text));
        }
    }

    @Test
    void allElseIsHashedByItsText() {
        assertThat(STANDARD.of(BigInteger.TEN)).isEqualTo(STANDARD.of("10"));
        assertThat(STANDARD.of(Thread.State.NEW)).isEqualTo(STANDARD.of("NEW"));
        assertThatThrownBy(() -> STANDARD.of(new Object())).isInstanceOf(IllegalArgumentException.class);
        KeyHash<Object> ofText = KeyHash.ofText(key -> "text");
        assertThat(ofText.of(new Object())).isEqualTo(STANDARD.of("text"));
    }

    /** A bit that never changes would fill some parts of a filter more than others. */
    @Test
    void eachBitChangesWithEachBitOfAKey() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        int[][] flips = new int[64][64];
        int rounds = 1_000;
        for (int round = 0; round < rounds; round++) {
            long key = random.nextLong();
            for (int in = 0; in < 64; in++) {
                long changed = STANDARD.of(key) ^ STANDARD.of(key ^ 1L << in);
                for (int out = 0; out < 64; out++) {
                    flips[in][out] += (int) (changed >>> out & 1);
                }
            }
        }
        for (int[] of : flips) {
            for (int number : of) {
                assertThat(number).as("seed %d", seed).isBetween(rounds * 4 / 10, rounds * 6 / 10);
            }
        }
    }
}
