package io.stampedeguard.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.stampedeguard.internal.codec.CompressedPayloads;
import io.stampedeguard.testkit.ClassPath;
import io.stampedeguard.testkit.TextCodec;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Long values are stored in fewer bytes, and any bytes are a value of bounded length, or are refused. */
final class CompressedCodecTest {
    private static final long SEED = 20_261_128L;
    private static final int THRESHOLD = 64;
    private static final int LONGEST = 16 << 20;
    private static final int VALUES = 1_000;
    private static final int BYTE_STRINGS = 20_000;

    private final ValueCodec<byte[]> codec = ValueCodec.compressed(BytesCodec.of(), THRESHOLD);
    private final Random random = new Random(SEED);

    /** Creates a codec, with or without its jar. */
    public static final class Created implements Callable<String> {
        @Override
        public String call() throws Exception {
            ValueCodec<String> codec = ValueCodec.compressed(StringCodec.of(), 0);
            return codec.decode(ByteBuffer.wrap(codec.encode("a value")));
        }
    }

    private byte[] noise(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Returns bytes of few kinds, some of which repeat earlier ones. */
    private byte[] value(int longest) {
        byte[] bytes = new byte[random.nextInt(longest)];
        int kinds = 1 + random.nextInt(256);
        for (int at = 0; at < bytes.length; ) {
            int length = Math.min(1 + random.nextInt(40), bytes.length - at);
            if (at > 0 && random.nextBoolean()) {
                for (int from = random.nextInt(at), end = at + length; at < end; ) {
                    bytes[at++] = bytes[from++];
                }
            } else {
                for (int end = at + length; at < end; ) {
                    bytes[at++] = (byte) random.nextInt(kinds);
                }
            }
        }
        return bytes;
    }

    private static ByteBuffer hex(String digits) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(digits.replace(" ", "")));
    }

    @Test
    void decodingUndoesEncoding() throws Exception {
        for (int i = 0; i < VALUES; i++) {
            byte[] value = value(i % 50 == 0 ? 200_000 : 2_000); // LZ4 has another way from 64 KiB on
            byte[] encoded = codec.encode(value);

            assertThat(encoded.length).as("value %d of seed %d", i, SEED).isLessThanOrEqualTo(1 + value.length);
            assertThat(codec.decode(ByteBuffer.wrap(encoded)))
                    .as("value %d of seed %d", i, SEED)
                    .isEqualTo(value);
        }
    }

    @Test
    void longValueTakesFewerBytes() throws Exception {
        byte[] value = "{\"name\":\"lamp\",\"price\":1995},".repeat(70).getBytes(UTF_8);

        assertThat(codec.encode(value)).hasSizeLessThan(value.length / 10);
    }

    @Test
    void shortOrRandomValueIsStoredAsItIs() throws Exception {
        byte[] brief = new byte[THRESHOLD - 1];
        byte[] random = noise(2_000);

        assertThat(codec.encode(brief)).hasSize(THRESHOLD).startsWith(0);
        assertThat(codec.encode(new byte[THRESHOLD])).hasSizeLessThan(THRESHOLD).startsWith(1);
        assertThat(codec.encode(random)).hasSize(2_001).startsWith(0);
    }

    @Test
    void valueAboveTheLimitIsStoredAsItIs() throws Exception {
        assertThat(codec.encode(new byte[LONGEST])).hasSizeLessThan(LONGEST / 100);
        assertThat(codec.encode(new byte[LONGEST + 1])).hasSize(LONGEST + 2).startsWith(0);
    }

    @Test
    void recordedBytesAreRead() throws Exception {
        ValueCodec<String> text = ValueCodec.compressed(StringCodec.of(), 16);

        assertThat(text.decode(hex("00 74 68 65"))).isEqualTo("the");
        // "the value " and 80 bytes from 10 bytes before, in a token of 10 and 15 with 61 more; then 5 literal ones
        assertThat(text.decode(hex("01 0000005f af 746865 2076616c756520 0a00 3d 50 6c616d7073")))
                .isEqualTo("the value ".repeat(9) + "lamps");
    }

    @Test
    void eachTruncatedPayloadIsRefused() throws Exception {
        byte[] encoded = codec.encode(
                "a value of several words, and again: a value of several words, and words".getBytes(UTF_8));
        assertThat(encoded).startsWith(1);

        for (int length = 0; length < encoded.length; length++) {
            ByteBuffer truncated = ByteBuffer.wrap(encoded, 0, length);
            assertThatThrownBy(() -> codec.decode(truncated))
                    .as("%d bytes", length)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** A length of 2 Gi − 1 or 16 Mi bytes in a few bytes, a negative one, one of 16 Mi + 1 in many, and one without a block. */
    @ParameterizedTest
    @ValueSource(strings = {"017fffffff 1f00", "0101000000 1f00", "01ffffffff 1f00", "0100000001", "0100", "02 00", ""})
    void impossibleLengthIsRefused(String payload) {
        assertThatThrownBy(() -> codec.decode(hex(payload))).isInstanceOf(IllegalArgumentException.class);
        assertThat(plainLength(hex(payload))).isEqualTo(hex(payload).remaining());
    }

    private int plainLength(ByteBuffer payload) {
        return ((CompressedPayloads) codec).plainLength(payload);
    }

    @Test
    void lengthBeforeCompressionIsKnownFromTheHead() throws Exception {
        byte[] compressed = codec.encode(new byte[2_000]);
        ByteBuffer within = ByteBuffer.allocate(3 + compressed.length)
                .put(new byte[3])
                .put(compressed)
                .position(3);

        assertThat(plainLength(ByteBuffer.wrap(compressed))).isEqualTo(2_000);
        assertThat(plainLength(within)).isEqualTo(2_000);
        assertThat(within.position()).isEqualTo(3);
        assertThat(plainLength(ByteBuffer.wrap(codec.encode(noise(2_000))))).isEqualTo(2_001);
    }

    /** Reads an array from the position on, and takes no other offset into account. */
    private static final class OfArrays extends TextCodec {
        OfArrays() {
            super("arrays", 1);
        }

        @Override
        public String decode(ByteBuffer payload) {
            return new String(payload.array(), payload.position(), payload.remaining(), UTF_8);
        }
    }

    @Test
    void codecGetsAnArrayFromItsBeginningWithAPosition() throws Exception {
        String value = "a value of several words; ".repeat(10);
        for (int threshold : new int[] {0, 1_000}) {
            ValueCodec<String> texts = ValueCodec.compressed(new OfArrays(), threshold);

            assertThat(texts.decode(ByteBuffer.wrap(texts.encode(value)))).isEqualTo(value);
        }
    }

    @Test
    void lengthAboveTheLimitIsRefusedThoughTheBlockHasIt() {
        byte[] bomb = new byte[1 << 20];
        Arrays.fill(bomb, (byte) 0xff);
        ByteBuffer.wrap(bomb)
                .put((byte) 1)
                .putInt(LONGEST + 1)
                .put((byte) 0x1f)
                .put((byte) 'a')
                .putShort((short) 0x0100);

        assertThatThrownBy(() -> codec.decode(ByteBuffer.wrap(bomb)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot have been 16777217 bytes");
    }

    @Test
    void anyBytesAreAValueOrRefused() throws Exception {
        int refused = 0;
        for (int i = 0; i < BYTE_STRINGS; i++) {
            byte[] bytes = i % 2 == 0 ? noise(random.nextInt(60)) : codec.encode(value(1_000));
            for (int changes = random.nextInt(4); changes > 0 && bytes.length > 0; changes--) {
                bytes[random.nextInt(Math.min(bytes.length, 40))] = (byte) random.nextInt();
            }
            if (i % 4 == 0 && bytes.length > 0) {
                bytes[0] = 1;
            }
            byte[] before = bytes.clone();
            try {
                codec.decode(ByteBuffer.wrap(bytes));
            } catch (IllegalArgumentException e) {
                refused++;
            } catch (Throwable e) {
                fail("bytes %d of seed %d: %s".formatted(i, SEED, HexFormat.of().formatHex(before)), e);
            }
            assertThat(Arrays.equals(bytes, before))
                    .as("bytes %d of seed %d", i, SEED)
                    .isTrue();
        }
        assertThat(refused).isBetween(BYTE_STRINGS / 10, BYTE_STRINGS - BYTE_STRINGS / 10);
    }

    @Test
    void identityIsTheCodecsOwnWithAPrefix() {
        CodecIdentity most = new CodecIdentity("x".repeat(127), 7);
        CodecIdentity other = new CodecIdentity("x".repeat(126) + "y", 7);

        assertThat(codec.identity()).isEqualTo(new CodecIdentity("lz4+bytes", 1));
        assertThat(ValueCodec.compressed(codec, 0).identity()).isEqualTo(new CodecIdentity("lz4+lz4+bytes", 1));
        assertThat(identityOver(most).id())
                .startsWith("lz4+xxx")
                .hasSize(127)
                .isNotEqualTo(identityOver(other).id());
        assertThat(identityOver(most).version()).isEqualTo(7);
    }

    private static CodecIdentity identityOver(CodecIdentity identity) {
        return ValueCodec.compressed(new TextCodec(identity.id(), identity.version()), 0)
                .identity();
    }

    @Test
    void mutableValuesAreCopiedAsByTheCodecItself() {
        byte[] value = {1, 2};

        assertThat(((MutableValueCodec<byte[]>) codec).copy(value))
                .isEqualTo(value)
                .isNotSameAs(value);
        assertThat(ValueCodec.compressed(StringCodec.of(), 0)).isNotInstanceOf(MutableValueCodec.class);
    }

    @Test
    void negativeThresholdIsRefused() {
        assertThatThrownBy(() -> ValueCodec.compressed(codec, -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("threshold -1 is negative");
    }

    @Test
    void jarThatIsMissingIsNamed() throws Exception {
        assertThat(ClassPath.call(Created.class, ClassPath.without())).isEqualTo("a value");
        assertThatThrownBy(() -> ClassPath.call(Created.class, ClassPath.without("lz4-java-.*")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("ValueCodec.compressed needs at.yawk.lz4:lz4-java, which is not on the class path: add this"
                        + " dependency");
    }
}
