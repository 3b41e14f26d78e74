package io.stampedeguard.codec;

/**
 * A codec of values that callers may change, such as arrays. Each caller gets a copy of its own, also where one load or one
 * copy of the near cache answers several. <em>Thread-safe.</em>
 *
 * @param <V> the type of the values
 */
public interface MutableValueCodec<V> extends ValueCodec<V> {
    /**
     * Copies a value.
     *
     * @param value the value, never {@code null}
     * @return an equal value that shares nothing mutable with it
     */
    V copy(V value);
}
