package io.stampedeguard.spring.internal.value;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.codec.MutableValueCodec;
import io.stampedeguard.codec.OtherVersionException;
import io.stampedeguard.spring.StampedeCacheOptions.Format;
import io.stampedeguard.spring.StampedeCacheOptions.Values;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The codec of one cache. A payload is the id of the declared type (8 bytes), the version of the codec of that type (2 bytes), and the
 * value by that codec. The format is in the identity of the entry: a cache never reads one format as the other. <em>Thread-safe.</em>
 *
 * <p>An entry of a type that no method of the cache declares here is replaced by the next load: nobody can tell an older release, which
 * is gone, from another one that runs beside this one. If it stayed, a renamed type would leave each key without a cached value until
 * its old entry expires; as it is, two releases beside each other replace each other's entries, which costs loads, and only then.
 */
final class TypedCodec implements MutableValueCodec<TypedValue> {
    private static final int HEAD = Long.BYTES + Short.BYTES;
    private static final int UNSIGNED = 0xFFFF;

    private final ValueTypes types;
    private final Values mode;
    private final Format format;
    private final CodecIdentity identity;
    private final Map<DeclaredValue, TypeCodec> codecs = new ConcurrentHashMap<>();

    TypedCodec(ValueTypes types, Values mode, Format format, int version) {
        this.types = types;
        this.mode = mode;
        this.format = format;
        this.identity = new CodecIdentity("spring-" + format.name().toLowerCase(Locale.ROOT), version);
    }

    @Override
    public CodecIdentity identity() {
        return identity;
    }

    private TypeCodec codecOf(DeclaredValue type) {
        TypeCodec known = codecs.get(type);
        return known == null ? codecs.computeIfAbsent(type, each -> new TypeCodec(each, format)) : known;
    }

    @Override
    public byte[] encode(TypedValue value) throws Exception {
        TypeCodec codec = codecOf(value.type());
        byte[] body = codec.encode(value.value());
        return ByteBuffer.allocate(HEAD + body.length)
                .putLong(value.type().id())
                .putShort((short) codec.version())
                .put(body)
                .array();
    }

    @Override
    public TypedValue decode(ByteBuffer payload) throws Exception {
        DeclaredValue type = types.byId(payload.getLong());
        int version = payload.getShort() & UNSIGNED;
        if (type == null) {
            throw new OtherVersionException("a value of a type that no method of this cache declares here", true);
        }
        TypeCodec codec = codecOf(type);
        if (version != codec.version()) {
            throw new OtherVersionException(
                    "version " + version + " of values of " + type + ", not " + codec.version(),
                    version < codec.version());
        }
        return new TypedValue(type, codec.decode(payload)); // no slice: codecs get an array from its beginning
    }

    /** Returns the value itself if callers may share it. */
    @Override
    @SuppressWarnings("ReferenceEquality") // whether it is a copy
    public TypedValue copy(TypedValue value) {
        if (mode == Values.SHARED) {
            return value;
        }
        Object copy = codecOf(value.type()).copy(value.value(), mode == Values.COPIED);
        return copy == value.value() ? value : new TypedValue(value.type(), copy);
    }
}
