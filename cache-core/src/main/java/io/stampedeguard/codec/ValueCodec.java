package io.stampedeguard.codec;

import java.nio.ByteBuffer;
import java.util.List;

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
     * reads only entries of its own codec's identity, and of those that the codec {@linkplain #alsoReads() also reads}. It replaces
     * entries of an earlier version of the same id, and leaves others alone until they expire. Raise the version if older processes
     * cannot decode what this codec encodes, or vice versa.
     */
    default CodecIdentity identity() {
        return CodecIdentity.NONE;
    }

    /**
     * {@return codecs that decode the entries of their own identities, and of no others, for the cache of this codec; always the
     * same, by default none} With the codec that this one replaces, the entries of before stay in use until they are loaded again,
     * and entries of its earlier versions are replaced as those of this codec are. Processes that have only the other codec do
     * not read what this one encodes. The returned codecs encode nothing, and those that they also read are not asked.
     */
    default List<ValueCodec<V>> alsoReads() {
        return List.of();
    }

    /**
     * {@return a new codec that encodes as another one does, and compresses the bytes by LZ4} It needs {@code
     * at.yawk.lz4:lz4-java}, an optional dependency, of which it uses the part that is plain Java. Values are stored as they are if
     * their bytes are fewer than the threshold or more than 16 MiB, or if compression saves less than an eighth of them. Otherwise,
     * {@code maxPayloadBytes} limits the compressed bytes. A near cache that is bounded in bytes counts those before compression.
     *
     * <p>The codec also reads what the other codec has encoded, so a cache can begin to compress while it is in use. Processes that do
     * not compress leave its entries alone: they load such a key once in two seconds, and store nothing.
     *
     * <p>{@link #decode} throws an {@link IllegalArgumentException} for bytes that are damaged. It reserves no more than 255 times
     * their length, and at most 16 MiB, before it knows that.
     *
     * @param <V> the type of the values
     * @param codec the codec of the values; if it is a {@link MutableValueCodec}, so is the new one
     * @param threshold the least number of encoded bytes to compress, such as 1,024; not negative
     * @throws IllegalArgumentException if the threshold is negative
     * @throws IllegalStateException if the jar of LZ4 is missing; the message names it
     */
    static <V> ValueCodec<V> compressed(ValueCodec<V> codec, int threshold) {
        return CompressedCodec.of(codec, threshold);
    }
}
