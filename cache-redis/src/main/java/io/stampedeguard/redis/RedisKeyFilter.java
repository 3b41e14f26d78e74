package io.stampedeguard.redis;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.KeyText;
import io.stampedeguard.filter.FilterState;
import io.stampedeguard.filter.KeyFilter;
import io.stampedeguard.filter.KeyHash;
import io.stampedeguard.filter.bloom.BloomShape;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.filter.HashFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * One filter for a fleet, a blocked Bloom filter that is kept in Redis as plain bitmaps, in {@value BloomShape#PARTITIONS}
 * partitions of which a cluster's masters share the load. Looking up a key:
 *
 * <ol>
 *   <li>each process has a copy. What the copy has may be there: no round trip;
 *   <li>what it does not have is looked up in Redis, one short script. Only Redis says no: a key that another process has
 *       just added is there for all. What is learnt goes into the copy.
 * </ol>
 *
 * <p>Until it is rebuilt for the first time, it says maybe to all keys. So it does when Redis may have lost some: after a
 * flush, an eviction, a restart, a failover, the move of a slot, and when a master gets its first replica; the log and the
 * listener tell of it. Then it is to be rebuilt: {@link #rebuild(Supplier)}, by any process, while all go on. While Redis does
 * not answer, looks fail, the first by its timeout, and those of the next second say maybe at once.
 *
 * <p>Size and rate are those of the process that rebuilt it last; the others follow. All that share a filter must hash keys
 * alike. An ACL user needs, for the keys <code>&#123;NAME:filter:*</code>, besides what the store needs: {@code +info}, without which
 * the filter says maybe to all keys, and {@code +hmget +getrange +bitfield +exists +hdel}; to rebuild it also {@code +hset
 * +persist +bitop +bitcount}.
 *
 * <p><em>Thread-safe.</em> A look blocks for as long as the client's timeouts allow. Background work is done on daemon threads
 * that end after 10 s without.
 *
 * @param <K> the type of the keys
 */
public final class RedisKeyFilter<K> implements KeyFilter<K>, AutoCloseable {
    private final String name;
    private final KeyHash<? super K> hash;
    private final Duration rebuildTtl;
    private final HashFilter filter;

    RedisKeyFilter(RedisKeyFilterBuilder<K> builder) {
        RedisStore store = builder.store;
        this.name = builder.name;
        this.hash = builder.keyHash;
        this.rebuildTtl = builder.rebuildTtl;
        this.filter = new HashFilter(
                name,
                store.commands(),
                store.keys(),
                store.time(),
                new BackgroundThreads("stampedeguard-redis-filter", store.time())::execute,
                builder.listener,
                builder.expectedKeys,
                builder.falsePositiveRate);
    }

    /**
     * Starts from the defaults. The number of keys to expect must be set.
     *
     * @param <K> the type of the keys
     * @param name by which all processes know the filter, 1 to 64 letters, digits, dots, hyphens and underscores: that of the
     *     cache, or of the set of keys if several caches share it
     * @param store where it is kept, under the store's key prefix; stays open when the filter is closed
     * @return a new builder
     * @throws IllegalArgumentException if the name is not of that form
     */
    public static <K> RedisKeyFilterBuilder<K> builder(String name, RedisStore store) {
        return new RedisKeyFilterBuilder<>(name, store);
    }

    /** Begins to load what is in force. */
    RedisKeyFilter<K> opened() {
        filter.load();
        return this;
    }

    /** {@inheritDoc} A round trip if the copy of this process does not have the key; else none, and nothing is allocated. */
    @Override
    public boolean mightContain(K key) {
        return filter.mightContain(hash.of(key));
    }

    /** {@inheritDoc} One round trip for all. Where only some masters of a cluster answer, the keys of the others may be there. */
    @Override
    public List<K> definitelyAbsent(Collection<? extends K> keys) {
        List<K> inOrder = List.copyOf(keys);
        BitSet places =
                filter.definitelyAbsent(inOrder.stream().mapToLong(hash::of).toArray());
        List<K> absent = new ArrayList<>(places.cardinality());
        places.stream().forEach(place -> absent.add(inOrder.get(place)));
        return absent;
    }

    /** {@inheritDoc} Always one round trip. Where nothing is in force and nothing being built, it changes nothing. */
    @Override
    public void add(K key) {
        filter.add(hash.of(key));
    }

    /**
     * {@inheritDoc} A round trip only if the copy of this process does not have the key. When that has failed, it is left
     * out for a second, for all keys, so that many of them cost one timeout. That takes no key away: one that was added by
     * {@link #add} or came with a rebuild is in the filter without it, and one that nobody announced stays as absent as it was.
     */
    @Override
    public void observed(K key) {
        filter.observed(hash.of(key));
    }

    /** {@inheritDoc} The numbers are those of the copy of this process, which may be a little behind. */
    @Override
    public FilterState state() {
        return filter.state();
    }

    /**
     * Builds the filter anew of all keys that the origin has, for the whole fleet, at the size that this process was told of.
     * Until then what was in force stays so, also if this fails; keys that are added meanwhile are in both. Blocks until all
     * is in force. In memory it takes as much as the filter has, in Redis twice that and a partition.
     *
     * <p>If several begin, the last one goes on and the others fail.
     *
     * @param keys opens the keys. It is called when the rebuild has begun, and what it opens must show all keys that were
     *     announced before that call: a query on the primary database, not on a replica that may lag behind. The stream is
     *     closed in the end; it may be parallel
     * @throws io.stampedeguard.store.StoreException if Redis fails or has lost what was built so far, or another rebuild has
     *     begun; the message says which. What is in force may say no as before. If this broke off while the partitions were
     *     changing over, some have changed, and each is whole
     * @throws IllegalStateException if this filter is being rebuilt by this process already
     * @throws RuntimeException whatever the stream throws
     */
    public void rebuild(Supplier<? extends Stream<? extends K>> keys) {
        requireNonNull(keys, "keys");
        if (!filter.rebuild(keys, hash, rebuildTtl)) {
            throw new IllegalStateException(
                    "filter " + KeyText.shown(name) + " is being rebuilt by this process already");
        }
    }

    /**
     * Builds the filter anew, as {@link #rebuild(Supplier)} does.
     *
     * @param keys the keys; closed in any case. What it reads must not have been fixed before this call, by a query that was sent or a snapshot
     *     that was taken: a key that came into being between the two would be in neither, and absent. Where in doubt, use the
     *     other method
     */
    public void rebuild(Stream<? extends K> keys) {
        requireNonNull(keys, "keys");
        try (keys) {
            rebuild(() -> keys);
        }
    }

    /** Ends what is done in the background. The store stays open, and a rebuild under way goes on. */
    @Override
    public void close() {
        filter.close();
    }
}
