package io.stampedeguard.filter.redis;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.filter.FilterState;
import io.stampedeguard.filter.KeyFilter;
import io.stampedeguard.filter.bloom.KeyHash;
import io.stampedeguard.filter.internal.BloomShape;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.internal.parts.StoreParts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A key filter that is shared by a fleet: a blocked Bloom filter, stored in Redis as plain bitmaps, in {@value
 * BloomShape#PARTITIONS} partitions that are distributed over the masters of a cluster. A lookup takes two steps:
 *
 * <ol>
 *   <li>Each process has a copy. A key in the copy may exist: no round trip.
 *   <li>Any other key is looked up in Redis by one short script. Only Redis can exclude a key, so a key that another process
 *       has just added is visible to all. The answer is merged into the copy.
 * </ol>
 *
 * <p>Until the first rebuild, all keys pass. They also pass when Redis may have lost keys: after a flush, an eviction, a restart,
 * a failover, the migration of a slot, and when a master gets its first replica. The log and the listener report this. The filter
 * then needs a {@link #rebuild(Supplier)}, by any process, during normal operation. While Redis does not answer, the first lookup
 * fails after its timeout, and during the next second all keys pass at once.
 *
 * <p>Size and false positive rate are those of the process that rebuilt the filter last; the others adopt them. All processes
 * that share a filter must hash keys alike: one with another {@link RedisKeyFilterBuilder#keyHash keyHash} than the process that
 * rebuilt the filter lets all keys pass, and announces none; it logs a warning, once. In addition to the
 * permissions of the store, an ACL user needs, for the keys <code>&#123;NAME:filter:*</code>: {@code +info}, without which all keys
 * pass, and {@code +hmget +getrange +bitfield +exists +hdel}; for a rebuild also {@code +hset +persist +bitop +bitcount}.
 *
 * <p><em>Thread-safe.</em> A lookup blocks for as long as the client's timeouts allow. Background work runs on daemon threads,
 * which end after 10 s without work.
 *
 * @param <K> the type of the keys
 */
public final class RedisKeyFilter<K> implements KeyFilter<K>, AutoCloseable {
    private final String name;
    private final KeyHash<? super K> hash;
    private final Duration rebuildTtl;
    private final HashFilter filter;

    RedisKeyFilter(RedisKeyFilterBuilder<K> builder) {
        this.name = builder.name;
        this.hash = builder.keyHash;
        this.rebuildTtl = builder.rebuildTtl;
        this.filter = new HashFilter(
                name,
                HashIdentity.of(hash, builder.hashIdentity),
                StoreParts.of(builder.store),
                builder.listener,
                builder.expectedKeys,
                builder.falsePositiveRate);
    }

    /**
     * Creates a builder with the defaults. The number of expected keys must be set.
     *
     * @param <K> the type of the keys
     * @param name the name of the filter in all processes, 1 to 64 letters, digits, dots, hyphens, and underscores: the name of
     *     the cache, or of the set of keys if several caches share it
     * @param store the store of the filter, whose key prefix applies; not closed with the filter
     * @return a new builder
     * @throws IllegalStateException if {@code com.dynatrace.hash4j:hash4j} is not on the class path
     */
    public static <K> RedisKeyFilterBuilder<K> builder(String name, RedisStore store) {
        return new RedisKeyFilterBuilder<>(name, store);
    }

    /** Begins to load the active filter. */
    RedisKeyFilter<K> opened() {
        filter.load();
        return this;
    }

    /** {@inheritDoc} Takes a round trip if the copy of this process lacks the key; otherwise none, and nothing is allocated. */
    @Override
    public boolean mightContain(K key) {
        return filter.mightContain(hash.of(key));
    }

    /** {@inheritDoc} Takes one round trip for all. If some masters of a cluster do not answer, their keys may exist. */
    @Override
    public List<K> definitelyAbsent(Collection<? extends K> keys) {
        List<K> inOrder = List.copyOf(keys);
        BitSet places =
                filter.definitelyAbsent(inOrder.stream().mapToLong(hash::of).toArray());
        List<K> absent = new ArrayList<>(places.cardinality());
        places.stream().forEach(place -> absent.add(inOrder.get(place)));
        return absent;
    }

    /** {@inheritDoc} Always takes one round trip. Changes nothing if no filter is active or being built. */
    @Override
    public void add(K key) {
        filter.add(hash.of(key));
    }

    /**
     * {@inheritDoc} Takes a round trip only if the copy of this process lacks the key. After a failure, such calls are skipped
     * for a second, for all keys, so that many of them cost one timeout. No key is lost by this: a key from {@link #add} or
     * from a rebuild is in the filter without it, and a key that was never added stays absent.
     */
    @Override
    public void observed(K key) {
        filter.observed(hash.of(key));
    }

    /** {@inheritDoc} The numbers are those of the copy of this process, which may be slightly outdated. */
    @Override
    public FilterState state() {
        return filter.state();
    }

    /**
     * Rebuilds the filter from all keys of the origin, for the whole fleet, with the size that is configured in this process.
     * Until it is complete, and also if it fails, the previous filter stays active; keys that are added meanwhile are in both.
     * Blocks until the new filter is active. Needs as much memory as the filter has, and in Redis twice that plus one
     * partition.
     *
     * <p>If several rebuilds begin, the last one continues and the others fail.
     *
     * @param keys opens the keys. It is called when the rebuild has begun, and its stream must contain all keys that were
     *     created before that call: a query on the primary database, not on a replica that may lag behind. The stream is closed
     *     in the end; it may be parallel
     * @throws io.stampedeguard.loader.StoreException if Redis fails or has lost data of this rebuild, or another rebuild has
     *     begun; the message states the reason. The previous filter stays active. If the rebuild fails during the changeover,
     *     some partitions are new, and each is complete
     * @throws IllegalStateException if this process is already rebuilding this filter
     * @throws RuntimeException whatever the stream throws
     */
    public void rebuild(Supplier<? extends Stream<? extends K>> keys) {
        requireNonNull(keys, "keys");
        if (!filter.rebuild(keys, hash, rebuildTtl)) {
            throw new IllegalStateException(
                    "filter " + KeyEncoder.shown(name) + " is already being rebuilt by this process");
        }
    }

    /**
     * Rebuilds the filter, like {@link #rebuild(Supplier)}.
     *
     * @param keys the keys; closed in any case. Its content must not be fixed before this call by a query that was already
     *     sent, or a snapshot that was already taken: a key that is created between the two would be missing. If in doubt, use
     *     the other method
     */
    public void rebuild(Stream<? extends K> keys) {
        requireNonNull(keys, "keys");
        try (keys) {
            rebuild(() -> keys);
        }
    }

    /** Ends background loads. The store stays open, and a running rebuild continues. */
    @Override
    public void close() {
        filter.close();
    }
}
