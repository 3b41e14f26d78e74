package io.stampedeguard.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Bytes are decoded as they were, each time to a new array. */
final class BytesCodecTest {
    private static final byte[] VALUE = {0, -1, 127, -128};

    private final BytesCodec codec = BytesCodec.of();

    @Test
    void decodingUndoesEncoding() {
        assertThat(codec.decode(ByteBuffer.wrap(codec.encode(VALUE)))).isEqualTo(VALUE);
        assertThat(codec.decode(ByteBuffer.wrap(codec.encode(new byte[0])))).isEmpty();
    }

    @Test
    void eachDecodingGivesACopyOfItsOwn() {
        byte[] stored = VALUE.clone();

        byte[] first = codec.decode(ByteBuffer.wrap(stored));
        byte[] second = codec.decode(ByteBuffer.wrap(stored));
        first[0] = 42;

        assertThat(second).isEqualTo(VALUE);
        assertThat(stored).isEqualTo(VALUE);
    }

    @Test
    void decodingTheSameBufferTwiceGivesTheSameTwice() {
        ByteBuffer payload = ByteBuffer.wrap(VALUE);

        assertThat(codec.decode(payload)).isEqualTo(VALUE);
        assertThat(codec.decode(payload)).isEqualTo(VALUE);
    }

    @Test
    void onlyTheBuffersOwnPartIsRead() {
        ByteBuffer part = ByteBuffer.wrap(VALUE, 1, 2);

        assertThat(codec.decode(part.slice())).containsExactly(-1, 127);
        assertThat(codec.decode(part)).containsExactly(-1, 127);
    }
}
