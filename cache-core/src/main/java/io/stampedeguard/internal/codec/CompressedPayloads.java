package io.stampedeguard.internal.codec;

import java.nio.ByteBuffer;

/** A codec whose payloads stand for other bytes, which may be many more, and whose order they hide. <em>Thread-safe.</em> */
public interface CompressedPayloads {
    /**
     * Returns how many bytes a payload stands for, or its own length if it shows none that is possible. Decompresses nothing, and does
     * not move the position.
     */
    int plainLength(ByteBuffer payload);

    /** Returns the bytes that a payload stands for; may move its position. Throws what the codec throws for damaged bytes. */
    ByteBuffer plain(ByteBuffer payload);
}
