package io.stampedeguard.internal.storage;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.internal.codec.CompressedPayloads;
import io.stampedeguard.internal.entry.Entry;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The codec of a cache, and those that it also reads, by the identities of entries. <em>Immutable.</em> */
public final class Decoders<V> {
    private final ValueCodec<V> codec;
    private final CodecIdentity identity;
    private final Map<CodecIdentity, ValueCodec<V>> others = new HashMap<>();

    /** Creates those of a codec, which returns no {@code null}. */
    public Decoders(ValueCodec<V> codec) {
        this.codec = codec;
        this.identity = codec.identity();
        codec.alsoReads().forEach(each -> others.putIfAbsent(each.identity(), each));
    }

    ValueCodec<V> codec() {
        return codec;
    }

    CodecIdentity identity() {
        return identity;
    }

    /** Returns the length of an entry's payload, before compression. */
    public int plainLength(Entry entry) {
        ByteBuffer payload = entry.payload();
        return of(entry) instanceof CompressedPayloads compressed
                ? compressed.plainLength(payload)
                : payload.remaining();
    }

    /** Returns the codec that decodes an entry; {@code null} if it is one of others. */
    @Nullable
    ValueCodec<V> of(Entry entry) {
        CodecIdentity written = entry.codec();
        if (written.equals(identity)) {
            return codec;
        }
        if (entry.negative()) {
            return meansAbsence(written) ? codec : null;
        }
        return others.get(written);
    }

    /** Absence has no version, and whoever names no codec means any. */
    private boolean meansAbsence(CodecIdentity written) {
        String id = written.id();
        return id.isEmpty()
                || id.equals(identity.id())
                || others.keySet().stream().anyMatch(each -> each.id().equals(id));
    }

    /** Returns whether an entry is of an earlier version of one of the codecs: it is replaced if it is of no use. */
    boolean areLaterThan(Entry entry) {
        CodecIdentity written = entry.codec();
        return written.isOlderThan(identity) || others.keySet().stream().anyMatch(written::isOlderThan);
    }
}
