package io.stampedeguard.spring;

import io.stampedeguard.loader.LoadedValue;

/**
 * A tag in place of a key: evicting it from a cache removes all values that have it. In annotations, it is {@code
 * @CacheEvict(cacheNames = "products", key = "@stampede.tag('supplier:' + #id)")}. It is no key to read or put. <em>Immutable.</em>
 *
 * @param name the tag, 1 to 64 bytes of UTF-8
 */
public record StampedeTag(String name) {
    /**
     * Creates a tag.
     *
     * @param name the tag, 1 to 64 bytes of UTF-8
     * @throws IllegalArgumentException if the name is empty, longer than 64 bytes, or no valid Unicode
     */
    public StampedeTag {
        LoadedValue.absent().tags(name);
    }
}
