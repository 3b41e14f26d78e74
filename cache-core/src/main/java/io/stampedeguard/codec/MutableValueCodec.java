package io.stampedeguard.codec;

/**
 * A codec of mutable values, such as arrays. Each caller gets its own copy, even if one load or one near-cache entry answers
 * several. <em>Thread-safe.</em>
 *
 * @param <V> the type of the values
 */
public interface MutableValueCodec<V> extends ValueCodec<V> {
    /**
     * {@return a copy of a value: an equal value that shares no mutable state with it}
     *
     * @param value the value, never {@code null}
     */
    V copy(V value);
}
