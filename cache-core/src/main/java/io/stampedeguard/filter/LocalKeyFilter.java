package io.stampedeguard.filter;

import io.stampedeguard.filter.bloom.BlockedBloom;
import io.stampedeguard.filter.bloom.BloomShape;
import io.stampedeguard.time.TimeSource;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A filter of one process, a blocked Bloom filter in its memory. It knows what this process was told, and nothing of what others
 * announce: for a fleet whose processes make rows, each must hear of them all, or share a filter.
 *
 * <p>Until the first rebuild has ended it answers "maybe" to all, since nobody has told it what the origin has; so an application
 * may start at once, and is protected a little later. {@code rebuild(Stream.empty())} puts it in force for an origin that is
 * empty.
 *
 * <p>A rebuild fills a second generation beside the one in force:
 *
 * <ol>
 *   <li>The new generation is there: from now on what is added goes to both.
 *   <li>Then only is the stream opened. So a row that was announced before is in the stream, and one that is announced later is
 *       added by whoever announces it.
 *   <li>All keys of the stream are added to the new generation.
 *   <li>It takes the place of the old one in one step. If anything failed before, the new one is dropped instead.
 * </ol>
 *
 * <p><em>Thread-safe</em>; nothing blocks but a rebuild, for as long as its stream takes.
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
     * Begins to make a filter.
     *
     * @param <K> the type of the keys
     * @param name what events and log lines call it: 1 to 64 letters, digits, dots, hyphens and underscores
     * @return a new builder
     */
    public static <K> LocalKeyFilterBuilder<K> builder(String name) {
        return new LocalKeyFilterBuilder<>(name);
    }

    /** {@inheritDoc} Here it takes no lock, and allocates nothing if the hash of the key does not. */
    @Override
    public boolean mightContain(K key) {
        BlockedBloom inForce = generations.get().inForce();
        return inForce == null || inForce.mightContain(keyHash.of(key));
    }

    /** {@inheritDoc} Before the first rebuild there is nothing to add it to. */
    @Override
    public void add(K key) {
        long hash = keyHash.of(key);
        Generations now;
        do {
            now = generations.get();
            now.add(hash);
        } while (now != generations.get()); // a rebuild that began and ended meanwhile knows nothing of it
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
     * Builds the filter anew of what there is, on the calling thread, and puts it in force. Needs the memory of a second one
     * meanwhile. Whatever the stream or the hash of a key throws comes out of this method; then all is as it was before.
     *
     * @param keys opens a stream of all keys that the origin has. It is called once, and must not begin to read before. The
     *     stream is read on this thread, in any order, and closed
     * @throws IllegalStateException if another rebuild is under way, which goes on
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
     * Builds the filter anew, as {@link #rebuild(Supplier)} does, of a stream that is there already but <strong>must not have
     * begun to read</strong>, not even in a transaction with a snapshot: a key that came into being after its snapshot and was
     * announced before this call is in neither, and would be absent.
     *
     * @param keys all keys that the origin has; read on this thread; closed in any case
     * @throws IllegalStateException if another rebuild is under way, which goes on
     */
    public void rebuild(Stream<? extends K> keys) {
        try (keys) {
            rebuild(() -> keys);
        }
    }

    private void requireNobodyElse(boolean alone) {
        if (!alone) {
            throw new IllegalStateException("filter '" + name + "' is being rebuilt already");
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
