package io.stampedeguard.filter.bloom;

import io.stampedeguard.filter.FilterState;
import io.stampedeguard.filter.KeyFilter;
import io.stampedeguard.filter.internal.BlockedBloom;
import io.stampedeguard.filter.internal.BloomShape;
import io.stampedeguard.filter.internal.FilterEvents;
import io.stampedeguard.time.TimeSource;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A filter of one process: a blocked Bloom filter in memory. It contains only keys that were added in this process: if several
 * processes create keys, each process must add all of them, or the processes must share a filter.
 *
 * <p>Until the first rebuild has completed, it answers "maybe" for every key, so an application can start at once and is
 * protected a little later. {@code rebuild(Stream.empty())} puts it in force for an empty origin.
 *
 * <p>A rebuild fills a second generation beside the one in force:
 * <ol>
 *   <li>The new generation is created: from now on, added keys go to both.
 *   <li>Only then is the stream opened. A row whose key was added before is in the stream; a row whose key is added later is
 *       added to the new generation.
 *   <li>All keys of the stream are added to the new generation.
 *   <li>It replaces the old one in one step. If anything failed before, the new generation is dropped instead.
 * </ol>
 *
 * <p><em>Thread-safe</em>; only a rebuild blocks, for as long as its stream takes.
 *
 * @param <K> the type of the keys
 */
public final class LocalKeyFilter<K> implements KeyFilter<K> {
    private final String name;
    private final long expectedKeys;
    private final double falsePositiveRate;
    private final BloomShape shape;
    private final KeyHash<? super K> keyHash;
    private final FilterEvents events;
    private final TimeSource time;
    private final AtomicReference<Generations> generations = new AtomicReference<>(Generations.none());

    LocalKeyFilter(LocalKeyFilterBuilder<K> settings, BloomShape shape) {
        this.name = settings.name;
        this.expectedKeys = settings.expectedKeys;
        this.falsePositiveRate = settings.falsePositiveRate;
        this.keyHash = settings.keyHash;
        this.time = settings.time;
        this.events = new FilterEvents(name, settings.listener);
        this.shape = shape;
    }

    /**
     * {@return a new builder of a filter}
     *
     * @param <K> the type of the keys
     * @param name the name for events and the log: 1 to 64 letters, digits, dots, hyphens, and underscores
     * @throws IllegalStateException if {@code com.dynatrace.hash4j:hash4j} is not on the class path
     */
    public static <K> LocalKeyFilterBuilder<K> builder(String name) {
        return new LocalKeyFilterBuilder<>(name);
    }

    /** {@inheritDoc} Takes no lock, and allocates nothing unless the hash of the key does. */
    @Override
    public boolean mightContain(K key) {
        BlockedBloom inForce = generations.get().inForce();
        return inForce == null || inForce.mightContain(keyHash.of(key));
    }

    /** {@inheritDoc} No effect before the first rebuild. */
    @Override
    @SuppressWarnings("ReferenceEquality") // is it still the same one?
    public void add(K key) {
        long hash = keyHash.of(key);
        Generations now;
        do {
            now = generations.get();
            now.add(hash);
        } while (now != generations.get()); // a rebuild that began and ended in the meantime does not contain the key
        if (now.grown()) {
            events.state(state());
        }
    }

    @Override
    public FilterState state() {
        Generations now = generations.get();
        boolean rebuilding = now.next() != null;
        BlockedBloom inForce = now.inForce();
        if (inForce == null) {
            return new FilterState(false, rebuilding, expectedKeys, falsePositiveRate, 0, 0, 1);
        }
        long bitsSet = inForce.bitsSet();
        long keys = shape.keysFor(bitsSet);
        double fill = bitsSet / (shape.bytes() * 8.0);
        return new FilterState(true, rebuilding, expectedKeys, falsePositiveRate, fill, keys, shape.rateWith(keys));
    }

    /**
     * Rebuilds the filter on the calling thread, and puts it in force. Meanwhile it needs the memory of a second filter.
     * Exceptions of the stream and of the hash function are thrown by this method; the filter is then unchanged.
     *
     * @param keys opens a stream of all keys that the origin has. It is called once, and must not have begun to read before.
     *     The stream is read on this thread, in any order, and closed
     * @throws IllegalStateException if another rebuild is running; that one continues
     */
    public void rebuild(Supplier<? extends Stream<? extends K>> keys) {
        Generations before = generations.get();
        requireNobodyElse(before.next() == null);
        BlockedBloom next = new BlockedBloom(shape);
        requireNobodyElse(generations.compareAndSet(before, before.building(next)));
        Generations after = before;
        try {
            fill(next, keys);
            after = Generations.inForce(next, expectedKeys);
        } finally {
            generations.set(after);
        }
        events.state(state());
    }

    /**
     * Rebuilds the filter from a stream that exists already but <strong>must not have begun to read</strong>, not even in a
     * transaction with a snapshot: a key that was created after the snapshot and added before this call is in neither, and
     * would be absent. Otherwise identical to {@link #rebuild(Supplier)}.
     *
     * @param keys all keys that the origin has; read on this thread; closed in any case
     * @throws IllegalStateException if another rebuild is running; that one continues
     */
    public void rebuild(Stream<? extends K> keys) {
        try (keys) {
            rebuild(() -> keys);
        }
    }

    private void requireNobodyElse(boolean alone) {
        if (!alone) {
            throw new IllegalStateException("filter '" + name + "' is already being rebuilt");
        }
    }

    private void fill(BlockedBloom next, Supplier<? extends Stream<? extends K>> keys) {
        RebuildProgress progress = new RebuildProgress(events, time);
        try (Stream<? extends K> open = keys.get()) {
            open.sequential().forEach(key -> {
                next.add(keyHash.of(key));
                progress.read();
            });
        }
        progress.end();
    }
}
