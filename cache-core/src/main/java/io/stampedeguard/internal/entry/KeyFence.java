package io.stampedeguard.internal.entry;

import io.stampedeguard.internal.spi.Fence;
import io.stampedeguard.loader.LookupResult;

/**
 * The fence that a caller gets, for puts of the key that was looked up. <em>Immutable.</em>
 *
 * @param key the store's key
 * @param fence what the store compares
 */
public record KeyFence(String key, Fence fence) implements LookupResult.Fence {}
