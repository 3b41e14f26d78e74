package io.stampedeguard.loader;

import org.jspecify.annotations.Nullable;

/**
 * What a look-up has found for a key: a value, the cached answer "the origin has none", or nothing. With its fence, what the
 * caller then reads at the origin is stored only if the key was not changed meanwhile:
 * <pre>{@code
 * LookupResult<Product> found = products.lookup(42L);
 * if (found.state() == LookupResult.State.NOTHING) {
 *     products.put(42L, LoadedValue.of(dao.findById(42L)), found.fence());
 * }
 * }</pre>
 *
 * <em>Immutable</em>, except for the value.
 *
 * @param <V> the type of the values
 * @param state what was found
 * @param value the value; {@code null} unless the state is {@link State#VALUE}
 * @param isStale whether the value may be older than what the origin has: its soft TTL is over, it was {@linkplain
 *     io.stampedeguard.StampedeGuardedCache#expire expired}, or it is a copy in this process and the store does not answer
 * @param fence what a put is bound to, from before the look-up returned
 */
public record LookupResult<V>(State state, @Nullable V value, boolean isStale, Fence fence) {
    /** What a look-up can find. */
    public enum State {
        /** A value, fresh or stale. */
        VALUE,
        /** "The origin has none": cached, or the answer of the key validator or the key filter. */
        ABSENT,
        /** Nothing that may be served. */
        NOTHING
    }

    /**
     * The state of a key in the store, as a look-up found it. Bind a put to it with {@link
     * io.stampedeguard.StampedeGuardedCache#put(Object, Object, Fence)}. Only caches create it. <em>Immutable</em>; needs not be
     * closed.
     */
    public interface Fence {}
}
