package io.stampedeguard.loader;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The cached value of a key that is being reloaded. <em>Immutable</em>, except for the value, which callers may be using.
 *
 * @param <V> the type of the values
 * @param value the value, or {@code null} if the origin had none
 * @param loadedAt when it was loaded or last found to be unmodified, by the store's clock
 */
public record PreviousValue<V>(@Nullable V value, Instant loadedAt) {}
