package io.stampedeguard.codec;

import java.nio.ByteBuffer;

/**
 * Encodes values as bytes and decodes them. A codec is user code to the cache: when {@link #encode} throws, the loaded value
 * is returned but not stored; when {@link #decode} throws, the value is loaded, and the entry stays as it is, since another
 * process may be able to read it.
 *
 * <p>Implementations are <em>thread-safe</em>. Those of mutable values implement {@link MutableValueCodec}.
 *
 * @param <V> the type of the values
 */
public interface ValueCodec<V> {
    /**
     * Turns a value into bytes.
     *
     * @param value the value, never {@code null}: absence is the cache's business
     * @return the bytes; the cache copies them
     * @throws Exception if it cannot
     */
    byte[] encode(V value) throws Exception;

    /**
     * Turns bytes into a value.
     *
     * @param payload what {@link #encode} returned, in a buffer with an accessible array; not to be written to, nor kept
     * @return the value, never {@code null}
     * @throws Exception if it cannot
     */
    V decode(ByteBuffer payload) throws Exception;

    /**
     * Returns what entries state about this codec. A process reads only entries of its own codec's identity. It replaces entries
     * of an earlier version of the same id, and leaves all others alone until they expire. Raise the version when older
     * processes cannot decode what this codec encodes, or the other way around.
     *
     * @return the same at each call; by default {@link CodecIdentity#NONE}
     */
    default CodecIdentity identity() {
        return CodecIdentity.NONE;
    }
}
