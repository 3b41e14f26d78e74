package io.stampedeguard.internal.storage;

import io.stampedeguard.codec.MutableValueCodec;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.observe.CacheEvents;
import org.jspecify.annotations.Nullable;

/** Gives each caller its own copy of mutable values ({@link MutableValueCodec}). <em>Thread-safe.</em> */
public final class Copies<V> {
    private final @Nullable MutableValueCodec<V> codec;
    private final CacheEvents events;

    public Copies(ValueCodec<V> codec, CacheEvents events) {
        this.codec = codec instanceof MutableValueCodec<V> copying ? copying : null;
        this.events = events;
    }

    /** Returns a value for one caller; if it cannot be copied, the value itself, which other callers have as well. */
    public @Nullable V of(@Nullable V value) {
        return codec == null || value == null ? value : copy(codec, value);
    }

    @SuppressWarnings("CatchingUnchecked") // user callback
    private V copy(MutableValueCodec<V> by, V value) {
        try {
            return by.copy(value);
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            events.fault(FaultSource.CODEC, e);
            return value;
        }
    }
}
