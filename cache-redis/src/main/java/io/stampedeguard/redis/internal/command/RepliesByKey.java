package io.stampedeguard.redis.internal.command;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The replies to a command for many keys: a map without overhead for lookups in the order of the keys, as on the hit path. For
 * other lookups, the replies are hashed. Unmodifiable. <em>Not thread-safe.</em>
 */
final class RepliesByKey extends AbstractMap<String, byte @Nullable []> {
    private final Collection<String> keys;
    private final List<? extends byte @Nullable []> replies;
    private final Iterator<String> expected;
    private int at;
    private @Nullable Map<String, byte @Nullable []> hashed;

    /** Creates the map of as many keys, each once, and replies, in the same order. */
    RepliesByKey(Collection<String> keys, List<? extends byte @Nullable []> replies) {
        this.keys = keys;
        this.replies = replies;
        this.expected = keys.iterator();
    }

    @Override
    public byte @Nullable [] get(@Nullable Object key) {
        if (hashed == null) {
            if (expected.hasNext() && expected.next().equals(key)) { // the very same string
                return replies.get(at++);
            }
            hashed = new HashMap<>(this);
        }
        return hashed.get(key);
    }

    @Override
    public boolean containsKey(@Nullable Object key) {
        if (hashed == null) {
            hashed = new HashMap<>(this); // called only if something is missing
        }
        return hashed.containsKey(key);
    }

    @Override
    public Set<Entry<String, byte @Nullable []>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public Iterator<Entry<String, byte @Nullable []>> iterator() {
                Iterator<String> names = keys.iterator();
                Iterator<? extends byte @Nullable []> values = replies.iterator();
                return new Iterator<>() {
                    @Override
                    public boolean hasNext() {
                        return names.hasNext();
                    }

                    @Override
                    public Entry<String, byte @Nullable []> next() {
                        return new SimpleImmutableEntry<>(names.next(), values.next());
                    }
                };
            }

            @Override
            public int size() {
                return replies.size();
            }
        };
    }
}
