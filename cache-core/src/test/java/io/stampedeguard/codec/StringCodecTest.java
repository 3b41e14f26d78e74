package io.stampedeguard.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Strings are decoded as they were, or rejected. */
final class StringCodecTest {
    private static final long SEED = 8_259L;
    private static final int STRINGS = 20_000;
    private static final int LONGEST = 60;

    private final StringCodec codec = StringCodec.of();

    @Test
    void decodingUndoesEncoding() throws Exception {
        Random random = new Random(SEED);
        for (int i = 0; i < STRINGS; i++) {
            String text = randomText(random);
            byte[] bytes = codec.encode(text);

            assertThat(bytes).as("string %d of seed %d", i, SEED).isEqualTo(text.getBytes(StandardCharsets.UTF_8));
            assertThat(codec.decode(ByteBuffer.wrap(bytes)))
                    .as("string %d of seed %d", i, SEED)
                    .isEqualTo(text);
        }
    }

    @Test
    void emptyStringIsAValue() throws Exception {
        assertThat(codec.encode("")).isEmpty();
        assertThat(codec.decode(ByteBuffer.allocate(0))).isEmpty();
    }

    @Test
    void loneSurrogateIsRefusedRatherThanChanged() {
        for (String text : new String[] {"\ud83d", "a\ude00b", "\ude00\ud83d", "cut off: \ud83d"}) {
            assertThatThrownBy(() -> codec.encode(text))
                    .isInstanceOf(CharacterCodingException.class)
                    .hasMessageContaining("half of a surrogate pair");
        }
    }

    @Test
    void onlyTheBuffersOwnPartIsRead() {
        ByteBuffer part = ByteBuffer.wrap("<<värde>>".getBytes(StandardCharsets.UTF_8), 2, 6);

        assertThat(codec.decode(part)).isEqualTo("värde");
        assertThat(codec.decode(part.slice())).isEqualTo("värde");
    }

    private static String randomText(Random random) {
        StringBuilder text = new StringBuilder();
        for (int length = random.nextInt(LONGEST); length > 0; length--) {
            int point = random.nextBoolean() ? random.nextInt(0x250) : random.nextInt(Character.MAX_CODE_POINT + 1);
            text.appendCodePoint(Character.getType(point) == Character.SURROGATE ? '\0' : point);
        }
        return text.toString();
    }
}
