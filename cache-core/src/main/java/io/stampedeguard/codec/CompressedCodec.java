package io.stampedeguard.codec;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.internal.codec.CompressedPayloads;
import io.stampedeguard.internal.failure.RequiredJar;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * The codec that {@link ValueCodec#compressed} returns. A payload is one byte and what it stands for:
 * <pre>
 *  0  the bytes of the other codec
 *  1  their length (4 bytes, big-endian, at most 16 Mi), and one LZ4 block
 * </pre>
 * The identity has a prefix, so that a process which does not compress takes no compressed bytes for its own. <em>Thread-safe.</em>
 */
class CompressedCodec<V> implements ValueCodec<V>, CompressedPayloads {
    private static final String PREFIX = "lz4+";
    private static final byte PLAIN = 0;
    private static final byte COMPRESSED = 1;
    private static final int HEAD = 1 + Integer.BYTES;
    private static final int LONGEST = 16 << 20;

    /** One byte of a block stands for no more: a length has any number of bytes, each of which adds at most 255. */
    private static final long HIGHEST_RATIO = 255;

    private final ValueCodec<V> codec;
    private final int threshold;
    private final CodecIdentity identity;

    private CompressedCodec(ValueCodec<V> codec, int threshold) {
        this.codec = codec;
        this.threshold = threshold;
        CodecIdentity plain = codec.identity();
        this.identity = CodecIdentity.shortened(PREFIX + plain.id(), plain.id(), plain.version());
    }

    /** LZ4 in plain Java: it needs no native library, and checks each index. Linked when a value is first compressed or read. */
    private static final class Lz4 {
        static final LZ4Compressor COMPRESSOR = LZ4Factory.safeInstance().fastCompressor();
        static final LZ4SafeDecompressor DECOMPRESSOR =
                LZ4Factory.safeInstance().safeDecompressor();
    }

    /** A compressed codec of values that callers do not share. */
    private static final class OfMutable<V> extends CompressedCodec<V> implements MutableValueCodec<V> {
        private final MutableValueCodec<V> copying;

        OfMutable(MutableValueCodec<V> codec, int threshold) {
            super(codec, threshold);
            this.copying = codec;
        }

        @Override
        public V copy(V value) {
            return copying.copy(value);
        }
    }

    static <V> ValueCodec<V> of(ValueCodec<V> codec, int threshold) {
        requireNonNull(codec, "codec");
        if (threshold < 0) {
            throw new IllegalArgumentException("threshold " + threshold + " is negative");
        }
        RequiredJar.check(
                CompressedCodec.class, "ValueCodec.compressed", "net.jpountz.lz4.LZ4Factory", "at.yawk.lz4:lz4-java");
        return codec instanceof MutableValueCodec<V> mutable
                ? new OfMutable<>(mutable, threshold)
                : new CompressedCodec<>(codec, threshold);
    }

    @Override
    public final CodecIdentity identity() {
        return identity;
    }

    @Override
    public final List<ValueCodec<V>> alsoReads() {
        List<ValueCodec<V>> all = new ArrayList<>();
        all.add(codec);
        all.addAll(codec.alsoReads());
        return all;
    }

    @Override
    public final byte[] encode(V value) throws Exception {
        byte[] plain = codec.encode(value);
        if (plain == null) { // user callback
            throw new IllegalStateException(codec.getClass().getName() + ".encode returned null for a value of "
                    + value.getClass().getTypeName());
        }
        if (plain.length >= threshold && plain.length <= LONGEST) {
            byte[] room = new byte[HEAD + Lz4.COMPRESSOR.maxCompressedLength(plain.length)];
            int length = Lz4.COMPRESSOR.compress(plain, 0, plain.length, room, HEAD);
            if (length <= plain.length - plain.length / 8 - HEAD) {
                ByteBuffer.wrap(room).put(COMPRESSED).putInt(plain.length);
                return Arrays.copyOf(room, HEAD + length);
            }
        }
        return ByteBuffer.allocate(1 + plain.length).put(PLAIN).put(plain).array();
    }

    @Override
    public final V decode(ByteBuffer payload) throws Exception {
        return codec.decode(plain(payload));
    }

    @Override
    public final int plainLength(ByteBuffer payload) {
        int at = payload.position();
        int blockLength = payload.remaining() - HEAD;
        int length = blockLength < 0 || payload.get(at) != COMPRESSED ? -1 : payload.getInt(at + 1);
        return isPossible(length, blockLength) ? length : payload.remaining();
    }

    @Override
    public final ByteBuffer plain(ByteBuffer payload) {
        byte form = payload.hasRemaining() ? payload.get() : -1;
        if (form == PLAIN) {
            return payload; // no slice: codecs get an array from its beginning, with a position
        }
        if (form == COMPRESSED) {
            return decompressed(payload);
        }
        throw new IllegalArgumentException("not the bytes of a compressed codec: they begin with " + form);
    }

    private static boolean isPossible(int length, int blockLength) {
        return length >= 0 && length <= LONGEST && length <= HIGHEST_RATIO * blockLength;
    }

    private static ByteBuffer decompressed(ByteBuffer payload) {
        int length = payload.remaining() < Integer.BYTES ? -1 : payload.getInt();
        int blockLength = payload.remaining();
        if (!isPossible(length, blockLength)) {
            throw new IllegalArgumentException(
                    "a block of " + blockLength + " bytes cannot have been " + length + " bytes before compression");
        }
        byte[] plain = new byte[length];
        int found;
        try {
            found = Lz4.DECOMPRESSOR.decompress(
                    payload.array(), payload.arrayOffset() + payload.position(), blockLength, plain, 0);
        } catch (RuntimeException e) { // also an index that is out of bounds
            throw new IllegalArgumentException("a block of " + blockLength + " bytes is damaged", e);
        }
        if (found != length) {
            throw new IllegalArgumentException(
                    "a block of " + blockLength + " bytes was " + found + " bytes before compression, not " + length);
        }
        return ByteBuffer.wrap(plain);
    }
}
