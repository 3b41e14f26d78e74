package io.stampedeguard.internal.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Any entry is decoded as it was; any bytes are an entry or a miss. */
final class EntryFormatFuzzTest {
    private static final long SEED = 20_261_120L;
    private static final int ENTRIES = 20_000;
    private static final int BYTE_STRINGS = 1_000_000;
    private static final int LONGEST = 200;
    private static final int SMALLEST_ENTRY = 63;

    private final Random random = new Random(SEED);
    private final RandomEntries entries = new RandomEntries(random);

    @Test
    void decodingUndoesEncoding() {
        for (int i = 0; i < ENTRIES; i++) {
            Entry entry = entries.next();

            assertThat(Entry.decode(entry.encode()))
                    .as("entry %d of seed %d", i, SEED)
                    .isEqualTo(entry);
        }
    }

    @Test
    void anyBytesAreAnEntryOrAMiss() {
        int[] decodedOfKind = new int[4];
        for (int i = 0; i < BYTE_STRINGS; i++) {
            int kind = i % decodedOfKind.length;
            byte[] bytes = bytesOfKind(kind);
            if (decode(bytes, i) != null) {
                decodedOfKind[kind]++;
            }
        }
        assertThat(decodedOfKind[3])
                .as("entries among the well-formed ones of seed %d", SEED)
                .isGreaterThan(BYTE_STRINGS / 10);
        assertThat(decodedOfKind[0] + decodedOfKind[1])
                .as("entries among noise, of seed %d", SEED)
                .isZero();
    }

    /** Decodes; whatever is accepted as an entry is encoded as it was read, and can be evaluated at any time. */
    private @Nullable Entry decode(byte[] bytes, int number) {
        byte[] before = bytes.clone();
        try {
            Entry entry = Entry.decode(bytes);
            boolean asBefore = Arrays.equals(before, bytes) && (entry == null || Arrays.equals(before, entry.encode()));
            if (asBefore && (entry == null || entry.freshnessAt(random.nextLong()) != null)) {
                return entry;
            }
        } catch (RuntimeException | Error e) {
            return fail(named(before, number) + " threw", e);
        }
        return fail(named(before, number) + " is not what its entry is written as");
    }

    private byte[] bytesOfKind(int kind) {
        return switch (kind) {
            case 0 -> noise(random.nextInt(LONGEST + 1));
            case 1 -> withHeader(noise(random.nextInt(LONGEST + 1)));
            case 2 -> mutated(entries.next().encode());
            default -> wellFormed();
        };
    }

    private byte[] noise(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] withHeader(byte[] bytes) {
        if (bytes.length >= SMALLEST_ENTRY) {
            bytes[16] = 'S';
            bytes[17] = 'G';
            bytes[18] = 3;
            bytes[19] = (byte) random.nextInt(2);
            int idLength = random.nextInt(4);
            bytes[SMALLEST_ENTRY - 1] = (byte) idLength;
            Arrays.fill(bytes, SMALLEST_ENTRY, Math.min(bytes.length, SMALLEST_ENTRY + idLength), (byte) 'x');
        }
        return bytes;
    }

    private byte[] wellFormed() {
        byte[] bytes = withHeader(noise(SMALLEST_ENTRY + random.nextInt(LONGEST - SMALLEST_ENTRY + 1)));
        Checksum.repair(bytes);
        return bytes;
    }

    private byte[] mutated(byte[] bytes) {
        byte[] mutated = random.nextBoolean() ? bytes : Arrays.copyOf(bytes, random.nextInt(LONGEST + 1));
        for (int changes = random.nextInt(4); changes > 0 && mutated.length > 0; changes--) {
            mutated[random.nextInt(mutated.length)] = (byte) random.nextInt();
        }
        return mutated;
    }

    private static String named(byte[] bytes, int number) {
        return "byte string %d of seed %d, %s,"
                .formatted(number, SEED, HexFormat.of().formatHex(bytes));
    }
}
