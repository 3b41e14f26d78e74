package io.stampedeguard.redis.internal.filter;

import io.stampedeguard.filter.FilterListener;
import io.stampedeguard.filter.FilterState;
import io.stampedeguard.filter.KeyHash;
import io.stampedeguard.redis.internal.command.Commands;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A filter in Redis for the hashes of keys, and the copy that this process has of it. What the copy has may be there; Redis is
 * asked for the rest. <em>Thread-safe.</em>
 */
public final class HashFilter implements AutoCloseable {
    private final AtomicBoolean rebuilding = new AtomicBoolean();
    private final FilterThreads threads = new FilterThreads();
    private final FilterDesign design;
    private final FilterCopy copy;
    private final FilterParts parts;
    private final FilterLoad load;
    private final FilterQueries queries;

    /**
     * Creates a filter, and sends nothing.
     *
     * @param expectedKeys for how many keys this process rebuilds it
     * @param rate which share of the keys that are not there it lets pass with as many
     * @throws IllegalArgumentException if a number is out of its range
     */
    public HashFilter(
            String name,
            Commands commands,
            RedisKeys keys,
            TimeSource time,
            FilterListener listener,
            long expectedKeys,
            double rate) {
        this.design = FilterDesign.of(expectedKeys, rate);
        this.copy = new FilterCopy(design);
        this.parts = new FilterParts(
                name,
                commands,
                new FilterCalls(keys, name),
                copy,
                new FilterReports(name, commands.where(), listener, this::state),
                time,
                threads);
        this.load = new FilterLoad(parts);
        this.queries = new FilterQueries(parts, load);
    }

    /** Begins to load what is in force, in the background. */
    public void load() {
        load.request();
    }

    /** Returns whether a key may be there. Blocks only if the copy does not have it. */
    public boolean mightContain(long hash) {
        return copy.mightContain(hash) || queries.mightContain(hash);
    }

    /** Returns the indexes of the keys that are not there. */
    public BitSet definitelyAbsent(long[] hashes) {
        return queries.definitelyAbsent(hashes);
    }

    /** Adds a key. */
    public void add(long hash) {
        queries.add(hash);
    }

    /** Adds a key that should be there already, where that may be of use. */
    public void observed(long hash) {
        queries.observed(hash);
    }

    /** Returns the state as far as the copy of this process shows it. */
    public FilterState state() {
        return copy.state(rebuilding.get());
    }

    /**
     * Builds a new generation of the filter; blocks.
     *
     * @param ttl how long what it has begun lives without a sign of life
     * @return false if this process is rebuilding it already
     */
    public <K> boolean rebuild(Supplier<? extends Stream<? extends K>> keys, KeyHash<? super K> hash, Duration ttl) {
        if (!rebuilding.compareAndSet(false, true)) {
            return false;
        }
        try {
            new FilterRebuild(parts, design, ttl).run(keys, hash);
            return true;
        } finally {
            rebuilding.set(false);
        }
    }

    /** Ends what is done in the background; a rebuild under way goes on. */
    @Override
    public void close() {
        load.close();
        threads.shutdown();
    }
}
