package io.stampedeguard.internal.spi;

import io.stampedeguard.store.SharedStore;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A change of an entry by any caller, whoever holds the lease; see {@link SharedStore#change}. It ends the lease, and a cool-down
 * as well, so that the result of a running load is not stored. <em>Immutable</em>, except for the bytes, which are not to be
 * modified.
 */
public sealed interface Change {
    /**
     * Stores an entry. This takes effect during the call or never, also if its request is delayed on the way: otherwise it could
     * bring back what another process has removed meanwhile.
     *
     * @param entry the bytes, beginning with a token of their own
     * @param ttl how long the store keeps the entry, at least 1 ms
     * @param stampOffset the position of the eight bytes that a store with {@link Marks} overwrites with the generation at that
     *     moment, big-endian, if it is above what they contain. A stored entry has a stamp there as well if its three bytes after
     *     the token, which name the format, are the same
     * @param fence what must still be true, with a token; {@code null} if the entry is stored in any case. With an {@linkplain
     *     Fence#expiry expiry}, the entry begins with the fence's token, and the expiry was not made. Without, the fence that the
     *     store has given is still there: the key was not changed, and its lease not granted, since then. It ends with this put. An
     *     entry that begins with the token of the new one counts as stored
     * @param tags the tags of the entry, which matter to the fence only: it has ended if one was changed above its {@linkplain Fence#stamp
     *     stamp}
     */
    record Put(
            byte[] entry,
            Duration ttl,
            int stampOffset,
            @Nullable Fence fence,
            List<String> tags) implements Change {}

    /** Removes the entry. */
    record Invalidate() implements Change {}

    /**
     * Overwrites a few bytes of the entry in place without changing its lifetime. If there is no entry of this length, only the
     * lease ends.
     *
     * @param offset the position of the bytes
     * @param mark the bytes
     */
    record Expire(int offset, byte[] mark) implements Change {
        /** {@return the position, and the bytes in hexadecimal: callers may log a {@link Fence}} */
        @Override
        public String toString() {
            return "Expire[offset=" + offset + ", mark=" + HexFormat.of().formatHex(mark) + "]";
        }
    }

    /**
     * Removes or expires all entries of a cache, and ends all leases; but not necessarily cool-downs. A store with {@link Marks}
     * leaves them where they are, and raises the generation: they count as changed. The key is the cache's name.
     *
     * <p>With tags, only the entries with one of them are changed, and no lease ends. Instead, the end of a lease is not made, and
     * ends the lease, if it is for a value with one of them, and the lease was granted before.
     *
     * @param each what is done with each entry: {@link Invalidate} or {@link Expire}
     * @param tags the tags; none for all entries
     * @param isKnown whether this process's {@link Marks} contain it, since the store did not make it when it was first asked: then a
     *     store with marks only makes up for what it does not know of them, and nothing more however often this is repeated
     */
    record OfAll(Change each, Set<String> tags, boolean isKnown) implements Change {}
}
