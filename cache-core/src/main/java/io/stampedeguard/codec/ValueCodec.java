package io.stampedeguard.codec;

import java.nio.ByteBuffer;

/**
 * Encodes values as bytes and decodes them. A codec is a user callback: when {@link #encode} throws, the loaded value is returned
 * but not stored; when {@link #decode} throws, the value is loaded, and the entry stays as it is, since another process may be
 * able to read it. Implementations are <em>thread-safe</em>. Those of mutable values implement {@link MutableValueCodec}.
 *
 * @param <V> the type of the values
 */
public interface ValueCodec<V> {
    /**
     * {@return a value encoded as bytes, which the cache copies}
     *
     * @param value the value, never {@code null}: the cache handles absence itself
     * @throws Exception if the value cannot be encoded
     */
    byte[] encode(V value) throws Exception;

    /**
     * {@return a value decoded from bytes, never {@code null}}
     *
     * @param payload what {@link #encode} returned, in a buffer with an accessible array; not to be modified, nor kept
     * @throws Exception if the bytes cannot be decoded
     */
    V decode(ByteBuffer payload) throws Exception;

    /**
     * {@return the codec's identity, which entries contain; always the same, by default {@link CodecIdentity#NONE}} A process
     * reads only entries of its own codec's identity. It replaces entries of an earlier version of the same id, and leaves others
     * alone until they expire. Raise the version if older processes cannot decode what this codec encodes, or vice versa.
     */
    default CodecIdentity identity() {
        return CodecIdentity.NONE;
    }
}
