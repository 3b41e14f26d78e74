package io.stampedeguard.codec;

import java.nio.ByteBuffer;

/**
 * Turns values into bytes and back. A codec is foreign code to the cache: when {@link #encode} throws, the loaded value
 * is returned but not stored; when {@link #decode} throws, the entry counts as damaged and is loaded anew.
 *
 * <p>Implementations are <em>thread-safe</em>.
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
}
