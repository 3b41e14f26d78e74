package io.stampedeguard.spring;

import java.util.Objects;

/** The bean {@code stampede}, for expressions in annotations: {@code key = "@stampede.tag('supplier:' + #id)"}. <em>Thread-safe.</em> */
public final class StampedeTags {
    /** Creates the bean. */
    public StampedeTags() {}

    /**
     * {@return a tag, as the key of an {@code @CacheEvict}}
     *
     * @param name the tag: its {@code toString} has 1 to 64 bytes of UTF-8
     * @throws IllegalArgumentException if it has not
     */
    public StampedeTag tag(Object name) {
        return new StampedeTag(Objects.requireNonNull(name, "tag").toString());
    }
}
