package io.stampedeguard.filter.redis;

import io.stampedeguard.filter.FilterListener;
import io.stampedeguard.filter.FilterState;
import io.stampedeguard.filter.bloom.KeyHash;
import io.stampedeguard.filter.redis.FilterGeneration.FilterDesign;
import io.stampedeguard.redis.internal.parts.StoreParts;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A filter in Redis for the hashes of keys, with a copy in this process. Keys in the copy may exist; all others are looked up in
 * Redis. <em>Thread-safe.</em>
 */
final class HashFilter implements AutoCloseable {
    private final AtomicBoolean rebuilding = new AtomicBoolean();
    private final FilterDesign design;
    private final FilterCopy copy;
    private final FilterCommands commands;
    private final FilterReports reports;
    private final TimeSource time;
    private final Predicate<Runnable> threads;
    private final FilterLoad load;
    private final FilterQueries queries;

    /** Creates a filter. Sends nothing. Throws an {@link IllegalArgumentException} if a number is out of its range. */
    HashFilter(
            String name, HashIdentity hash, StoreParts store, FilterListener listener, long expectedKeys, double rate) {
        this.design = FilterDesign.of(expectedKeys, rate);
        this.copy = new FilterCopy(design);
        this.commands = new FilterCommands(name, hash, store);
        this.reports = new FilterReports(name, store.where(), listener, this::state);
        this.time = store.time();
        this.threads = store.threads("stampedeguard-redis-filter");
        this.load = new FilterLoad(this.commands, copy, reports, time, threads);
        this.queries = new FilterQueries(this.commands, copy, reports, load, time);
    }

    /** Begins to load the active filter in the background. */
    void load() {
        load.request();
    }

    /** Returns whether the filter may contain a key. Blocks only if the copy does not contain it. */
    boolean mightContain(long hash) {
        return copy.mightContain(hash) || queries.mightContain(hash);
    }

    /** Returns the indexes of the keys that the filter does not contain. */
    BitSet definitelyAbsent(long[] hashes) {
        return queries.definitelyAbsent(hashes);
    }

    void add(long hash) {
        queries.add(hash);
    }

    /** Adds an observed key if the filter may lack it. */
    void observed(long hash) {
        queries.observed(hash);
    }

    /** Returns the state according to the copy of this process. */
    FilterState state() {
        return copy.state(rebuilding.get());
    }

    /**
     * Builds a new generation of the filter, with a TTL unless renewed; blocks. Returns false if this process is rebuilding it
     * already.
     */
    <K> boolean rebuild(Supplier<? extends Stream<? extends K>> keys, KeyHash<? super K> hash, Duration ttl) {
        if (!rebuilding.compareAndSet(false, true)) {
            return false;
        }
        try {
            new FilterRebuild(commands, copy, reports, design, ttl).run(keys, hash, time, threads);
            return true;
        } finally {
            rebuilding.set(false);
        }
    }

    /** Ends background loads. A running rebuild continues. */
    @Override
    public void close() {
        load.close();
    }
}
