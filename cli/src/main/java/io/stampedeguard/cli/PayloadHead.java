package io.stampedeguard.cli;

import io.stampedeguard.codec.KeyEncoder;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The beginning of a payload whose codec is unknown: as text if it is UTF-8, otherwise as hexadecimal digits. Data that is not an
 * entry is shown from its first byte. <em>Immutable.</em>
 */
record PayloadHead(String encoding, String text) {
    private static final int MOST_BYTES = 64;

    /** {@code payloadBytes} is the length of the payload, with which an entry ends. */
    static PayloadHead of(byte[] stored, int payloadBytes) {
        int start = stored.length - payloadBytes;
        int length = Math.min(MOST_BYTES, payloadBytes);
        return of(Arrays.copyOfRange(stored, start, start + length), payloadBytes > MOST_BYTES);
    }

    /** At the cut, part of a character may remain. */
    private static PayloadHead of(byte[] head, boolean cut) {
        CharBuffer text = CharBuffer.allocate(head.length);
        CoderResult result = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(head), text, !cut);
        return result.isError()
                ? new PayloadHead(
                        "hex", HexFormat.of().formatHex(Arrays.copyOf(head, Math.min(head.length, MOST_BYTES / 2))))
                : new PayloadHead("utf-8", text.flip().toString());
    }

    @Override
    public String toString() {
        return encoding.equals("hex") ? "0x" + text : KeyEncoder.shown(text);
    }
}
