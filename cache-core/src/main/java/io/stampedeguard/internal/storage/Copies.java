package io.stampedeguard.internal.storage;

import io.stampedeguard.codec.MutableValueCodec;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.observe.CacheEvents;
import org.jspecify.annotations.Nullable;

/** Gives each caller a value of its own where values are mutable ({@link MutableValueCodec}). <em>Thread-safe.</em> */
public final class Copies<V> {
    private final @Nullable MutableValueCodec<V> codec;
    private final CacheEvents events;

    public Copies(ValueCodec<V> codec, CacheEvents events) {
        this.codec = codec instanceof MutableValueCodec<V> copying ? copying : null;
        this.events = events;
    }

    /** Returns what a caller may keep; if it cannot be copied, the value that others have as well. */
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
