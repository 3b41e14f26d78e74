package io.stampedeguard.internal.entry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.internal.entry.Entry.Freshness;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Marks;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The wire format is unchanged, and anything else is a miss. */
final class EntryFormatTest {
    private static final LeaseToken TOKEN = new LeaseToken(0x01020304, 0x05060708090a0b0cL, 0x0d0e0f10);
    private static final long CREATED = 1_800_000_000_000L;
    private static final CodecIdentity CODEC = new CodecIdentity("json", 258);
    private static final Entry VALUE = new Entry(
            TOKEN,
            false,
            CREATED,
            CREATED + 300_000,
            CREATED + 600_000,
            37,
            CODEC,
            ByteBuffer.wrap("värde".getBytes(UTF_8)),
            CREATED - 1,
            List.of());
    private static final Entry NEGATIVE = new Entry(
            TOKEN,
            true,
            CREATED,
            CREATED + 30_000,
            CREATED + 30_000,
            5,
            CodecIdentity.NONE,
            ByteBuffer.allocate(0),
            0,
            List.of());

    private static final Entry TAGGED = new Entry(
            TOKEN,
            false,
            CREATED,
            CREATED + 300_000,
            CREATED + 600_000,
            37,
            CODEC,
            ByteBuffer.wrap("värde".getBytes(UTF_8)),
            CREATED,
            List.of("supplier:7", "ü"));

    /** A change of these values is a change of the format, which needs a new version. */
    private static final String VALUE_BYTES =
            "0102030405060708090a0b0c0d0e0f1053470300000001a31860e3e0000001a3185c5000000001a3186577c0000000258f802bde000001a3185c4fff0102046a736f6e76c3a4726465";

    /** As format 2 had it. */
    private static final String UNSTAMPED_BYTES =
            "0102030405060708090a0b0c0d0e0f1053470200000001a31860e3e0000001a3185c5000000001a3186577c000000025ae46bdfd0102046a736f6e76c3a4726465";

    private static final String NEGATIVE_BYTES =
            "0102030405060708090a0b0c0d0e0f1053470301000001a3185cc530000001a3185c5000000001a3185cc530000000058cf2ae790000000000000000000000";

    private static final String TAGGED_BYTES =
            "0102030405060708090a0b0c0d0e0f1053470302000001a31860e3e0000001a3185c5000000001a3186577c000000025f01fee65000001a3185c50000102046a736f6e020a737570706c6965723a3702c3bc76c3a4726465";

    private static final int HEAD = 60;
    private static final int VERSION_OFFSET = 18;
    private static final int FLAGS_OFFSET = 19;

    @Test
    void valueEntryHasTheseBytes() {
        assertThat(HexFormat.of().formatHex(VALUE.encode())).isEqualTo(VALUE_BYTES);
        assertThat(Entry.decode(HexFormat.of().parseHex(VALUE_BYTES))).isEqualTo(VALUE);
    }

    @Test
    void entryOfTheFormatBeforeIsReadAsOneWithoutAStamp() {
        Entry entry = Entry.decode(HexFormat.of().parseHex(UNSTAMPED_BYTES));

        assertThat(with(VALUE.softExpiryMillis(), VALUE.stamp(), entry)).isEqualTo(VALUE);
        assertThat(entry.stamp()).isZero();
        assertThat(entry.knownTags()).isEmpty();
        assertThat(entry.headLength()).isEqualTo(Entry.headOf(VALUE.encode()).length - Long.BYTES);
    }

    @Test
    void negativeEntryHasTheseBytes() {
        assertThat(HexFormat.of().formatHex(NEGATIVE.encode())).isEqualTo(NEGATIVE_BYTES);
        assertThat(Entry.decode(HexFormat.of().parseHex(NEGATIVE_BYTES))).isEqualTo(NEGATIVE);
    }

    @Test
    void entryBeginsWithItsToken() {
        assertThat(LeaseToken.startOf(VALUE.encode())).isEqualTo(TOKEN);
    }

    @Test
    void encodingLeavesThePayloadWhereItWas() {
        ByteBuffer payload = ByteBuffer.wrap(new byte[] {1, 2, 3, 4}, 1, 2);
        Entry entry = new Entry(TOKEN, false, 0, 1, 2, 3, CodecIdentity.NONE, payload, 0, List.of());

        assertThat(entry.encode()).isEqualTo(entry.encode()).endsWith(2, 3);
        assertThat(payload.position()).isEqualTo(1);
    }

    @Test
    void flippedBitOutsideSoftExpiryAndStampIsAMiss() {
        for (Entry entry : new Entry[] {VALUE, NEGATIVE, TAGGED}) {
            byte[] bytes = entry.encode();
            for (int bit = 0; bit < bytes.length * Byte.SIZE; bit++) {
                if (!inSoftExpiry(bit) && !inStamp(bit)) {
                    assertThat(Entry.decode(flipped(bytes, bit)))
                            .as("bit %d of %s", bit, entry)
                            .isNull();
                }
            }
        }
    }

    @Test
    void flippedBitInTheSoftExpiryOrTheStampChangesNothingElse() {
        byte[] bytes = VALUE.encode();
        for (int bit = 0; bit < bytes.length * Byte.SIZE; bit++) {
            if (inSoftExpiry(bit) || inStamp(bit)) {
                Entry changed = Entry.decode(flipped(bytes, bit));

                assertThat(changed).as("bit %d", bit).isNotNull().isNotEqualTo(VALUE);
                assertThat(with(VALUE.softExpiryMillis(), VALUE.stamp(), changed))
                        .as("bit %d", bit)
                        .isEqualTo(VALUE);
            }
        }
    }

    @Test
    void marksRemoveOrExpireWhatIsStampedBeforeThem() {
        Marks marks = new Marks();
        assertThat(VALUE.under(marks)).isSameAs(VALUE);

        marks.learn(new Marks.Known(CREATED, CREATED - 1, CREATED - 1));
        assertThat(VALUE.under(marks)).as("its load began after them").isSameAs(VALUE);

        marks.learn(new Marks.Known(CREATED, 0, CREATED));
        assertThat(VALUE.under(marks)).isEqualTo(with(0, VALUE.stamp(), VALUE));
        assertThat(Entry.stamp(marks)).isEqualTo(CREATED);
        assertThat(Entry.isOutdated(CREATED - 1, List.of(), marks)).isTrue();
        assertThat(Entry.isOutdated(CREATED, List.of(), marks)).isFalse();

        marks.learn(new Marks.Known(CREATED, CREATED, 0));
        assertThat(VALUE.under(marks)).isNull();
    }

    @Test
    void taggedEntryHasTheseBytes() {
        assertThat(HexFormat.of().formatHex(TAGGED.encode())).isEqualTo(TAGGED_BYTES);
        assertThat(Entry.decode(HexFormat.of().parseHex(TAGGED_BYTES))).isEqualTo(TAGGED);
        assertThat(Entry.headOf(TAGGED.encode()))
                .hasSize(Entry.decode(TAGGED.encode()).headLength());
    }

    /** Format 2 refuses each later one as newer, and format 3 before there were tags each flag but that of absence. */
    @Test
    void processOfAnEarlierVersionRefusesATaggedEntry() {
        Entry absent = new Entry(
                TOKEN, true, CREATED, 1, 2, 3, CodecIdentity.NONE, ByteBuffer.allocate(0), CREATED, TAGGED.tags());
        for (byte[] bytes : List.of(HexFormat.of().parseHex(TAGGED_BYTES), absent.encode())) {
            assertThat(bytes[VERSION_OFFSET]).isEqualTo((byte) 3);
            assertThat(bytes[FLAGS_OFFSET] & ~1).isEqualTo(2);
        }
    }

    @Test
    void eachShorterLengthOfATaggedEntryIsAMiss() {
        byte[] bytes = TAGGED.encode();
        for (int length = 0; length < bytes.length; length++) {
            byte[] shorter = Arrays.copyOf(bytes, length);
            if (length >= HEAD) {
                Checksum.repair(shorter);
            }
            Entry read = Entry.decode(shorter);
            assertThat(read == null || read.tags().equals(TAGGED.tags()))
                    .as("%d bytes", length)
                    .isTrue();
        }
    }

    @Test
    void marksOfItsTagsRemoveOrExpireAnEntry() {
        Marks marks = new Marks();
        marks.raise(true, List.of("other"), CREATED + 1);
        assertThat(TAGGED.under(marks)).isSameAs(TAGGED);

        marks.raise(false, List.of("ü"), CREATED + 2);
        assertThat(TAGGED.under(marks)).isEqualTo(with(0, TAGGED.stamp(), TAGGED));
        assertThat(VALUE.under(marks)).isSameAs(VALUE);

        marks.raise(true, List.of("supplier:7"), CREATED + 3);
        assertThat(TAGGED.under(marks)).isNull();
        assertThat(VALUE.under(marks)).isSameAs(VALUE);
        assertThat(with(1, CREATED + 3, TAGGED).under(marks)).isNotNull();
        assertThat(Entry.isOutdated(CREATED, TAGGED.tags(), marks)).isTrue();
        assertThat(Entry.isOutdated(CREATED, List.of(), marks)).isFalse();
    }

    @Test
    void entryOfTheFormatBeforeMayHaveAnyTag() {
        Entry entry = Entry.decode(HexFormat.of().parseHex(UNSTAMPED_BYTES));
        Marks marks = new Marks();
        assertThat(entry.under(marks)).isNotNull();

        marks.raise(true, List.of("supplier:7"), CREATED);

        assertThat(entry.under(marks)).isNull();
    }

    @Test
    void eachOtherVersionIsAMiss() {
        byte[] bytes = VALUE.encode();
        for (int version = 0; version < 256; version++) {
            bytes[VERSION_OFFSET] = (byte) version;
            Checksum.repair(bytes);

            assertThat(Entry.decode(bytes) != null).as("version %d", version).isEqualTo(version == 3);
            assertThat(Entry.isOfNewerFormat(bytes)).as("version %d", version).isEqualTo(version > 3);
        }
    }

    @Test
    void eachUnknownFlagIsAMiss() {
        byte[] bytes = NEGATIVE.encode();
        for (int flags = 0; flags < 256; flags++) {
            bytes[FLAGS_OFFSET] = (byte) flags;
            Checksum.repair(bytes);

            assertThat(Entry.decode(bytes) != null).as("flags %d", flags).isEqualTo(flags <= 1);
        }
    }

    @Test
    void negativeEntryWithAPayloadIsAMiss() {
        byte[] bytes = VALUE.encode();
        bytes[FLAGS_OFFSET] = 1;
        Checksum.repair(bytes);

        assertThat(Entry.decode(bytes)).isNull();
    }

    @Test
    void eachShorterLengthIsAMiss() {
        byte[] bytes = VALUE.encode();
        for (int length = 0; length < bytes.length; length++) {
            assertThat(Entry.decode(Arrays.copyOf(bytes, length)))
                    .as("%d bytes", length)
                    .isNull();
        }
    }

    @Test
    void bytesAppendedAreAMiss() {
        byte[] bytes = VALUE.encode();
        for (int more = 1; more <= 64; more++) {
            assertThat(Entry.decode(Arrays.copyOf(bytes, bytes.length + more)))
                    .as("%d zeros more", more)
                    .isNull();
        }
    }

    @Test
    void bytesPutInFrontAreAMiss() {
        byte[] bytes = VALUE.encode();
        byte[] moved = new byte[bytes.length + 1];
        System.arraycopy(bytes, 0, moved, 1, bytes.length);

        assertThat(Entry.decode(moved)).isNull();
    }

    @Test
    void staleMarkMakesAnEntryStaleAndNothingElse() {
        byte[] bytes = VALUE.encode();
        byte[] mark = Entry.staleMark();
        System.arraycopy(mark, 0, bytes, Entry.SOFT_EXPIRY_OFFSET, mark.length);

        Entry marked = Entry.decode(bytes);

        assertThat(VALUE.freshnessAt(CREATED)).isEqualTo(Freshness.FRESH);
        assertThat(marked.freshnessAt(CREATED)).isEqualTo(Freshness.STALE);
        assertThat(with(VALUE.softExpiryMillis(), VALUE.stamp(), marked)).isEqualTo(VALUE);
    }

    private static boolean inSoftExpiry(int bit) {
        int offset = bit / Byte.SIZE;
        return offset >= Entry.SOFT_EXPIRY_OFFSET && offset < Entry.SOFT_EXPIRY_OFFSET + Long.BYTES;
    }

    private static boolean inStamp(int bit) {
        int offset = bit / Byte.SIZE;
        return offset >= Entry.STAMP_OFFSET && offset < Entry.STAMP_OFFSET + Long.BYTES;
    }

    private static byte[] flipped(byte[] bytes, int bit) {
        byte[] flipped = bytes.clone();
        flipped[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
        return flipped;
    }

    private static Entry with(long softExpiryMillis, long stamp, Entry rest) {
        return new Entry(
                rest.token(),
                rest.negative(),
                rest.createdMillis(),
                softExpiryMillis,
                rest.hardExpiryMillis(),
                rest.loadMillis(),
                rest.codec(),
                rest.payload(),
                stamp,
                rest.knownTags());
    }
}
